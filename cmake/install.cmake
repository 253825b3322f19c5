# `./run install PREFIX=DIR`: libraries, headers, pkg-config and CMake packages. (The wheel takes its own copy, see
# python/bindings.)

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nwtopo)

install(TARGETS libnwtopo EXPORT nwtopo LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS libayatori LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES include/nwtopo.h include/nwtopo.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY include/nwtopo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
foreach(folder base network tables topology sources exports schedule routing flow)
  install(DIRECTORY src/${folder}/include/ayatori/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ayatori
          COMPONENT development)
endforeach()

# A prefix may be moved: nwtopo.pc finds it from where it lies itself.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
foreach(name ayatori nwtopo)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# find_package(nwtopo) gives the target nwtopo::nwtopo. It links nothing else: what libnwtopo needs is its own affair.
set_target_properties(libnwtopo PROPERTIES EXPORT_NAME nwtopo)
install(EXPORT nwtopo NAMESPACE nwtopo:: FILE nwtopoConfig.cmake DESTINATION ${package_dir} COMPONENT development)
write_basic_package_version_file(nwtopoConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nwtopoConfigVersion.cmake DESTINATION ${package_dir} COMPONENT development)

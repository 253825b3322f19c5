# `./run install PREFIX=DIR`: libraries, headers, pkg-config and CMake packages. (The wheel takes its own copy, see
# python/bindings.)

include(CMakePackageConfigHelpers)

install(TARGETS libnwtopo EXPORT nwtopo LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
set(packages nwtopo)
if(TARGET libacp)
  list(APPEND packages acp)
  install(TARGETS libacp EXPORT acp LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()
# Beside libacp, which loads it.
if(TARGET libacp_verbs)
  install(TARGETS libacp_verbs LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development NAMELINK_SKIP)
endif()
install(FILES include/acp.h include/ayatori_algorithm.h include/ayatori_hash.h include/nwtopo.h include/nwtopo.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY include/nwtopo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# A prefix may be moved: nwtopo.pc finds it from where it lies itself.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")
foreach(name ${packages})
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

# find_package(nwtopo) gives the target nwtopo::nwtopo, find_package(acp) acp::acp. They link nothing else: what the
# libraries need is their own affair.
foreach(name ${packages})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
  set_target_properties(lib${name} PROPERTIES EXPORT_NAME ${name})
  install(EXPORT ${name} NAMESPACE ${name}:: FILE ${name}Config.cmake DESTINATION ${package_dir} COMPONENT development)
  write_basic_package_version_file(${name}ConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/${name}ConfigVersion.cmake DESTINATION ${package_dir} COMPONENT development)
endforeach()

# `./run install PREFIX=DIR`: the libraries with a C interface, as pkg-config and CMake find them. (The wheel takes its
# own copies, see python/bindings.)

include(CMakePackageConfigHelpers)

# A prefix may be moved: NAME.pc finds it from where it lies itself.
file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up_to_prefix "${up_to_prefix}")

# ayatori_install_c_library(NAME): libNAME, NAME.pc, and a CMake package: find_package(NAME) gives the target NAME::NAME.
# It links nothing else: what the library needs is its own affair.
function(ayatori_install_c_library name)
  install(TARGETS lib${name} EXPORT ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
  set_target_properties(lib${name} PROPERTIES EXPORT_NAME ${name})
  install(EXPORT ${name} NAMESPACE ${name}:: FILE ${name}Config.cmake DESTINATION ${package_dir} COMPONENT development)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/${name}ConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/${name}ConfigVersion.cmake DESTINATION ${package_dir} COMPONENT development)
endfunction()

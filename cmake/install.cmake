# `./run install PREFIX=DIR`: libraries, headers, pkg-config. (The wheel takes its own copy, see python/bindings.)

include(GNUInstallDirs)
install(TARGETS libnwtopo libayatori LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
foreach(folder base network tables topology sources exports schedule routing)
  install(DIRECTORY src/${folder}/include/ayatori/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ayatori
          COMPONENT development)
endforeach()
configure_file(cmake/ayatori.pc.in ayatori.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ayatori.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

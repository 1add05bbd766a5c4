# `cmake -DROOT=… -DCLANG_FORMAT=… -P format.cmake`: every C++ file is as .clang-format wants it.
# The profile is for version 14, Debian 12's; another version breaks lines elsewhere.
execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE version)
if(NOT version MATCHES "version 14\\.")
  message("skipped: the profile is for clang-format 14, here is ${version}")
  return()
endif()
set(sources "")
foreach(folder ir runtime codegen frontend tests samples)
  file(GLOB_RECURSE found ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp)
  list(APPEND sources ${found})
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${sources}
                RESULT_VARIABLE status ERROR_VARIABLE report)
if(NOT status EQUAL 0)
  message("${report}")
  message(FATAL_ERROR "clang-format -i would change these files")
endif()

# Writes a C file with a weak wrapper for each function of an MPI that may communicate, made from the prototypes of its
# mpi.h. A function that another file describes has a strong wrapper there, which the linker takes. So the time of every
# call counts as time in MPI, also of functions that newer MPIs have.
#
#     cmake -DCOMPILER=mpicc -DOUT=FILE -P passed_on.cmake

# Functions that only look at, or make, objects of their own process.
set(local "^MPI_(T_|Type_|Info_|Group_|Op_|Status_|Add_error|Error_|Errhandler_|Get_|Pack|Unpack|Query_|Is_|Initialized|\
Finalized|Init|Finalize|Abort|Pcontrol|Address|Keyval_|Attr_|Alloc_mem|Free_mem|Buffer_|Topo_|Dims_|Cart_(coords|get|rank|\
shift|map)|Cartdim_|Graph_(get|map|neighbors)|Graphdims_|Dist_graph_neighbors|Register_|Grequest_complete|Session_get|\
Test_cancelled|Reduce_local|Comm_(rank|size|compare|group|remote|get_|set_name|set_attr|delete_attr|test_inter|call_)|File_(get_|call_)|\
Win_(get_|set_name|set_attr|delete_attr|call_|shared_query))|_(errhandler|keyval)(_c)?$")

file(WRITE ${OUT}.h.c "#include <mpi.h>\n")
execute_process(COMMAND ${COMPILER} "-D__attribute__(x)=" -E -P ${OUT}.h.c OUTPUT_VARIABLE header RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${COMPILER} can't read mpi.h")
endif()
file(REMOVE ${OUT}.h.c)

# A list in CMake can't have elements with unmatched brackets or semicolons.
string(REPLACE ";" "\n" header "${header}")
string(REPLACE "[" "<" header "${header}")
string(REPLACE "]" ">" header "${header}")
string(REGEX MATCHALL "[^A-Za-z0-9_]int[ \n]+MPI_[A-Z][A-Za-z0-9_]*[ \n]*\\([^()]*\\)" prototypes "${header}")
string(CONCAT text "#include \"wrappers.h\"\n\n#define PASSED(name, parameters, arguments, after) \\\n"
    "  WRAPPER(EXPORTED __attribute__((weak)), MPI_, name, parameters, arguments, , after) \\\n"
    "  WRAPPER(EXPORTED __attribute__((weak)), PMPI_, name, parameters, arguments, , after)\n\n")
foreach(prototype IN LISTS prototypes)
  string(REGEX MATCH "MPI_([A-Z][A-Za-z0-9_]*)[ \n]*\\(([^()]*)\\)" unused "${prototype}")
  set(name "${CMAKE_MATCH_1}")
  set(parameters "${CMAKE_MATCH_2}")
  if("MPI_${name}" MATCHES "${local}")
    continue()
  endif()
  string(REPLACE "," ";" each "${parameters}")
  set(arguments "")
  foreach(one IN LISTS each)
    string(REGEX MATCH "([A-Za-z0-9_]+)[ \n]*(<[0-9]*>)*[ \n]*$" unused "${one}")
    list(APPEND arguments "${CMAKE_MATCH_1}")
  endforeach()
  list(JOIN arguments ", " arguments)
  string(REGEX REPLACE "[ \n]+" " " parameters "${parameters}")
  # What begins something that the trace does not know: a request, or processes.
  set(after "")
  if((name MATCHES "^(I[a-z]|Comm_i|File_i|Grequest_start|.*_init)" AND parameters MATCHES "MPI_Request") OR
     name MATCHES "^Comm_spawn")
    set(after "trace_count_unseen(\"MPI_${name}\")")
  endif()
  string(APPEND text "PASSED(${name}, (${parameters}), (${arguments}), ${after})\n")
endforeach()
string(REPLACE "<" "[" text "${text}")
string(REPLACE ">" "]" text "${text}")
file(WRITE ${OUT} "${text}")

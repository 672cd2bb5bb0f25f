# find_package(gatectl): tests that run a program under gates. gatectl-cmake(7) says it all.
#
#   gatectl_add_test(NAME n TARGET t SCRIPT f.lua... [ARGS ...] [REPEAT n] [LIMIT s] [LABELS ...]
#                    [FIXED] [OPTIONS ...])
#   gatectl_discover_tests(TARGET t DIRECTORY dir [PREFIX p] [ARGS ...] [REPEAT n] [LIMIT s]
#                    [LABELS ...] [FIXED] [OPTIONS ...])
#   gatectl_add_check(NAME n TARGET t [SCRIPTS f.lua...] [LABELS ...])
#   gatectl_add_exploration(NAME n TARGET t [ARGS ...] [RUNS n] [STRATEGY s] [TIME s] [LABELS ...]
#                    [OPTIONS ...])

if(CMAKE_VERSION VERSION_LESS 3.16)
  set(gatectl_FOUND FALSE)
  set(gatectl_NOT_FOUND_MESSAGE "gatectl needs CMake 3.16 or later, this is ${CMAKE_VERSION}")
  return()
endif()

# The functions below keep the policies that hold here, whatever the project's are.
cmake_policy(PUSH)
cmake_policy(VERSION 3.16...3.25)

# <prefix>/lib/cmake/gatectl -> <prefix>/bin/gatectl
get_filename_component(_gatectl_program "${CMAKE_CURRENT_LIST_DIR}/../../../bin/gatectl" ABSOLUTE)
if(NOT EXISTS "${_gatectl_program}")
  set(gatectl_FOUND FALSE)
  set(gatectl_NOT_FOUND_MESSAGE "there is no ${_gatectl_program}: install gatectl again")
  cmake_policy(POP)
  return()
endif()

if(NOT TARGET gatectl::gatectl)
  add_executable(gatectl::gatectl IMPORTED GLOBAL)
  set_target_properties(gatectl::gatectl PROPERTIES IMPORTED_LOCATION "${_gatectl_program}")
endif()

# What a function was called with, checked. The values are the caller's in _gatectl_<KEYWORD>.
# Further arguments of the macro are keywords without a value.
macro(_gatectl_arguments function one many required)
  cmake_parse_arguments(PARSE_ARGV 0 _gatectl "${ARGN}" "${one}" "${many}")
  if(DEFINED _gatectl_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: '${_gatectl_UNPARSED_ARGUMENTS}' is none of its keywords")
  endif()
  # cmake_parse_arguments() takes these for values of the keyword before.
  string(JOIN "|" _gatectl_foreign COMMAND COMMAND_EXPAND_LISTS CONFIGURATIONS COST DEPENDS
    DISCOVERY_MODE DISCOVERY_TIMEOUT ENVIRONMENT EXTRA_ARGS FIXTURES_REQUIRED FIXTURES_SETUP
    PASS_REGULAR_EXPRESSION PROCESSORS PROPERTIES RESOURCE_LOCK RUN_SERIAL TEST_LIST TEST_PREFIX
    TEST_SUFFIX TIMEOUT WILL_FAIL WORKING_DIRECTORY)
  foreach(_gatectl_list SCRIPT SCRIPTS LABELS OPTIONS ARGS)
    foreach(_gatectl_word IN LISTS _gatectl_${_gatectl_list})
      if(_gatectl_word MATCHES "^(${_gatectl_foreign})$")
        message(FATAL_ERROR "${function}: '${_gatectl_word}' is none of its keywords: properties "
          "of CTest's tests are set by set_tests_properties(); an argument of the program that "
          "reads so goes into the script, args { }")
      endif()
    endforeach()
  endforeach()
  foreach(_gatectl_word ${required})
    if("${_gatectl_${_gatectl_word}}" STREQUAL "")
      message(FATAL_ERROR "${function}: ${_gatectl_word} is missing")
    endif()
  endforeach()
  if(NOT TARGET "${_gatectl_TARGET}")
    message(FATAL_ERROR "${function}: there is no target '${_gatectl_TARGET}'")
  endif()
  get_target_property(_gatectl_alias "${_gatectl_TARGET}" ALIASED_TARGET)
  if(_gatectl_alias)
    set(_gatectl_TARGET "${_gatectl_alias}")
  endif()
  get_target_property(_gatectl_type "${_gatectl_TARGET}" TYPE)
  if(NOT _gatectl_type STREQUAL "EXECUTABLE")
    message(FATAL_ERROR "${function}: the target '${_gatectl_TARGET}' is no executable")
  endif()
endmacro()

# Absolute paths of scripts; a misspelt one is an error now. What the build makes may come later.
function(_gatectl_scripts function out)
  set(all)
  foreach(script IN LISTS ARGN)
    if(NOT script MATCHES "^\\$<")
      get_filename_component(script "${script}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      string(FIND "${script}" "${CMAKE_BINARY_DIR}/" built)
      if(NOT EXISTS "${script}" AND NOT built EQUAL 0)
        message(FATAL_ERROR "${function}: there is no script ${script}")
      endif()
    endif()
    list(APPEND all "${script}")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

# A file name for what a test leaves behind: two tests never share one.
function(_gatectl_report_base name out)
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/gatectl")
  string(REGEX REPLACE "[^A-Za-z0-9_.+-]" "_" file "${name}")
  if(NOT file STREQUAL name)
    string(MD5 hash "${name}")
    string(SUBSTRING "${hash}" 0 8 hash)
    string(APPEND file "-${hash}")
  endif()
  if(multi)
    foreach(config IN LISTS CMAKE_CONFIGURATION_TYPES)
      file(MAKE_DIRECTORY "${directory}/${config}")
    endforeach()
    set(directory "${directory}/$<CONFIG>")
  else()
    file(MAKE_DIRECTORY "${directory}")
  endif()
  set(${out} "${directory}/${file}" PARENT_SCOPE)
endfunction()

# All runs of a test together end before CTest's TIMEOUT, which only kills: a quarter of it, ten
# seconds at most, is left for the reports. Without a TIMEOUT 0, which means no limit.
function(_gatectl_time timeout out)
  set(milliseconds 0)
  if("${timeout}" MATCHES "^([0-9]+)(\\.([0-9]*))?$")
    string(SUBSTRING "${CMAKE_MATCH_3}000" 0 3 part)
    math(EXPR milliseconds "${CMAKE_MATCH_1} * 1000 + 1${part} - 1000")
  endif()
  math(EXPR rest "${milliseconds} / 4")
  if(rest GREATER 10000)
    set(rest 10000)
  endif()
  math(EXPR milliseconds "${milliseconds} - ${rest}")
  math(EXPR seconds "${milliseconds} / 1000")
  math(EXPR part "${milliseconds} % 1000 + 1000")
  string(SUBSTRING "${part}" 1 3 part)
  set(${out} "${seconds}.${part}" PARENT_SCOPE)
endfunction()

# Sets the property that the command of the test reads.
function(_gatectl_set_time name property)
  get_property(timeout TEST "${name}" PROPERTY TIMEOUT)
  foreach(variable CTEST_TEST_TIMEOUT DART_TESTING_TIMEOUT) # the project's own, include(CTest)'s
    if("${timeout}" STREQUAL "")
      set(timeout "${${variable}}")
    endif()
  endforeach()
  _gatectl_time("${timeout}" seconds)
  set_property(TARGET gatectl::gatectl PROPERTY "${property}" "${seconds}")
endfunction()

# set_tests_properties() may come after the test: CMake 3.19 looks again at the end of the directory.
function(_gatectl_follow_timeout name property)
  _gatectl_set_time("${name}" "${property}")
  if(NOT CMAKE_VERSION VERSION_LESS 3.19)
    cmake_language(EVAL CODE
      "cmake_language(DEFER CALL _gatectl_set_time [==[${name}]==] [==[${property}]==])")
  endif()
endfunction()

# Whole seconds for CTest, behind gatectl's own limit: gatectl gives a verdict, CTest only kills.
function(_gatectl_timeout limit repeat out)
  string(REGEX REPLACE "\\..*$" "" seconds "0${limit}")
  if("${repeat}" STREQUAL "")
    set(repeat 1)
  endif()
  math(EXPR seconds "(${seconds} + 1) * ${repeat} + 30")
  set(${out} ${seconds} PARENT_SCOPE)
endfunction()

# What every test of gatectl's has: skipped where tracing is not permitted or not possible.
function(_gatectl_properties name labels)
  set_tests_properties("${name}" PROPERTIES SKIP_RETURN_CODE 77)
  if(CMAKE_CROSSCOMPILING)
    set_tests_properties("${name}" PROPERTIES DISABLED TRUE)
  endif()
  if(NOT "${labels}" STREQUAL "")
    set_tests_properties("${name}" PROPERTIES LABELS "${labels}")
  endif()
endfunction()

# A name with a blank or the like needs CMP0110, which counts as it is at the end of the directory.
function(_gatectl_name function)
  if(NOT _gatectl_NAME MATCHES "[ \t\"#$()\\]")
    return()
  endif()
  if(CMAKE_VERSION VERSION_LESS 3.19)
    message(FATAL_ERROR
      "${function}: the NAME '${_gatectl_NAME}' has a character that needs CMake 3.19")
  endif()
  cmake_language(DEFER CALL cmake_policy SET CMP0110 NEW)
endfunction()

# An empty argument vanishes where a list is taken apart; this one is empty afterwards.
function(_gatectl_keep_empty)
  if(NOT DEFINED _gatectl_ARGS OR NOT _gatectl_ARGS MATCHES "^$|^;|;;|;$")
    return()
  endif()
  set(args)
  foreach(arg IN LISTS _gatectl_ARGS)
    string(REPLACE ";" "\\;" arg "${arg}")
    if(arg STREQUAL "")
      set(arg "$<1:>")
    endif()
    list(APPEND args "${arg}")
  endforeach()
  if(_gatectl_ARGS STREQUAL "")
    set(args "$<1:>")
  endif()
  set(_gatectl_ARGS "${args}" PARENT_SCOPE)
endfunction()

# Locations by line, and variables, need -g, which CMake adds for some build types only. Options
# that come from linked targets are not seen.
function(_gatectl_debug_information target)
  get_target_property(flags "${target}" COMPILE_OPTIONS)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  foreach(language C CXX)
    string(APPEND flags " ${CMAKE_${language}_FLAGS} ${CMAKE_${language}_FLAGS_${type}}")
  endforeach()
  if(flags MATCHES "(^|[ ;:,])-g")
    return()
  endif()
  set(why "CMAKE_BUILD_TYPE is ${CMAKE_BUILD_TYPE}")
  if(type STREQUAL "")
    set(why "CMAKE_BUILD_TYPE is not set")
  endif()
  message(WARNING "gatectl: ${why}, so the target '${target}' is compiled without -g: gates find no "
    "lines and no variables in it. Configure with -DCMAKE_BUILD_TYPE=Debug or RelWithDebInfo, or "
    "add -g to the target's compile options")
endfunction()

# Options may come after the test: CMake 3.19 looks at the end of the directory. Once for a target.
function(_gatectl_follow_debug_information target)
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  get_property(followed TARGET "${target}" PROPERTY gatectl_followed)
  if(multi OR followed)
    return()
  endif()
  set_property(TARGET "${target}" PROPERTY gatectl_followed TRUE)
  if(CMAKE_VERSION VERSION_LESS 3.19)
    _gatectl_debug_information("${target}")
  else()
    cmake_language(EVAL CODE
      "cmake_language(DEFER CALL _gatectl_debug_information [==[${target}]==])")
  endif()
endfunction()

# One test from what is in _gatectl_NAME, _gatectl_SCRIPT (absolute paths, a ; in one is \;) and the
# others.
function(_gatectl_one_test function)
  if(NOT "${_gatectl_REPEAT}" MATCHES "^([1-9][0-9]*)?$")
    message(FATAL_ERROR "${function}: REPEAT '${_gatectl_REPEAT}' is not a positive number")
  endif()
  if(NOT "${_gatectl_LIMIT}" MATCHES "^([0-9]+(\\.[0-9]+)?)?$")
    message(FATAL_ERROR "${function}: LIMIT '${_gatectl_LIMIT}' is not a number of seconds")
  endif()
  _gatectl_follow_debug_information("${_gatectl_TARGET}")
  _gatectl_name("${function}")
  _gatectl_keep_empty()
  _gatectl_report_base("${_gatectl_NAME}" report)

  set(options)
  set(fixtures "gatectl:${_gatectl_TARGET}")
  set(reports)
  set(checked)
  foreach(script IN LISTS _gatectl_SCRIPT)
    string(REPLACE ";" "_" fixture "${script}")
    string(REPLACE ";" "\\;" option "${script}")
    # gatectl_add_check takes lists of it apart three times
    string(REPLACE ";" "\\\\\\;" check "${script}")
    list(APPEND options -g "${option}")
    list(APPEND fixtures "gatectl:${_gatectl_TARGET}:${fixture}")
    list(APPEND checked "${check}")
  endforeach()
  if(_gatectl_FIXED)
    list(APPEND options --fixed)
  endif()
  if(NOT "${_gatectl_REPEAT}" STREQUAL "")
    list(APPEND options --repeat ${_gatectl_REPEAT})
  endif()
  if(NOT "${_gatectl_LIMIT}" STREQUAL "")
    list(APPEND options --time-limit ${_gatectl_LIMIT})
  endif()
  foreach(ending json html)
    list(APPEND options --report "${report}.${ending}")
    list(APPEND reports "${report}.${ending}")
  endforeach()

  string(MD5 time "${report}")
  set(time "gatectl_time_${time}")
  add_test(NAME "${_gatectl_NAME}"
    COMMAND gatectl::gatectl run --skip-if-unavailable ${options}
      "--for=$<TARGET_PROPERTY:gatectl::gatectl,${time}>" ${_gatectl_OPTIONS} --
      "$<TARGET_FILE:${_gatectl_TARGET}>" ${_gatectl_ARGS})
  _gatectl_properties("${_gatectl_NAME}" "${_gatectl_LABELS}")
  set_tests_properties("${_gatectl_NAME}" PROPERTIES
    FIXTURES_REQUIRED "${fixtures}" ATTACHED_FILES_ON_FAIL "${reports}"
    TIMEOUT_SIGNAL_NAME SIGTERM) # CMake 3.27; others kill
  if(NOT "${_gatectl_LIMIT}" MATCHES "^[0.]*$")
    _gatectl_timeout("${_gatectl_LIMIT}" "${_gatectl_REPEAT}" timeout)
    set_tests_properties("${_gatectl_NAME}" PROPERTIES TIMEOUT ${timeout})
  endif()
  _gatectl_follow_timeout("${_gatectl_NAME}" "${time}")
  if(_gatectl_FIXED) # a repair may leave a line of its script without code
    set_property(TARGET "${_gatectl_TARGET}" PROPERTY gatectl_fixed TRUE)
  else()
    set_property(TARGET "${_gatectl_TARGET}" APPEND PROPERTY gatectl_scripts "${checked}")
  endif()
endfunction()

function(gatectl_add_test)
  _gatectl_arguments(gatectl_add_test "NAME;TARGET;REPEAT;LIMIT" "SCRIPT;ARGS;LABELS;OPTIONS"
    "NAME;TARGET;SCRIPT" FIXED)
  _gatectl_scripts(gatectl_add_test _gatectl_SCRIPT ${_gatectl_SCRIPT})
  _gatectl_one_test(gatectl_add_test)
endfunction()

function(gatectl_discover_tests)
  _gatectl_arguments(gatectl_discover_tests "TARGET;DIRECTORY;PREFIX;REPEAT;LIMIT"
    "ARGS;LABELS;OPTIONS" "TARGET;DIRECTORY" FIXED)
  get_filename_component(directory "${_gatectl_DIRECTORY}" ABSOLUTE
    BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT IS_DIRECTORY "${directory}")
    message(FATAL_ERROR "gatectl_discover_tests: there is no directory ${directory}")
  endif()
  file(GLOB parts CONFIGURE_DEPENDS LIST_DIRECTORIES false "${directory}/*.gate.lua")
  set(scripts)
  foreach(part IN LISTS parts)
    if(IS_ABSOLUTE "${part}")
      list(APPEND scripts "${part}")
    else() # what follows a ; in the name of the one before
      string(APPEND scripts "\\;${part}")
    endif()
  endforeach()
  if(NOT scripts)
    message(WARNING "gatectl_discover_tests: no *.gate.lua in ${directory}")
  endif()
  foreach(_gatectl_SCRIPT IN LISTS scripts)
    get_filename_component(name "${_gatectl_SCRIPT}" NAME)
    string(REGEX REPLACE "\\.gate\\.lua$" "" name "${name}")
    # They need CMP0110, and are no good to type; a ; ends a name in lists
    string(REGEX REPLACE "[ \t\"#$();\\]" "_" name "${name}")
    string(REPLACE ";" "\\;" _gatectl_SCRIPT "${_gatectl_SCRIPT}")
    set(_gatectl_NAME "${_gatectl_PREFIX}${name}")
    _gatectl_one_test(gatectl_discover_tests)
  endforeach()
endfunction()

function(_gatectl_has_scripts name target)
  get_target_property(scripts "${target}" gatectl_scripts)
  get_target_property(fixed "${target}" gatectl_fixed)
  if(NOT scripts AND fixed)
    message(FATAL_ERROR "gatectl_add_check: '${name}': all gate tests of the target '${target}' are "
      "FIXED, and find lost locations themselves; leave this check out, or name scripts with SCRIPTS")
  elseif(NOT scripts)
    message(FATAL_ERROR "gatectl_add_check: '${name}': the target '${target}' has no gate tests "
      "whose scripts could be checked; name some with SCRIPTS")
  endif()
endfunction()

# Tests may come later, so this is known when all is configured.
function(_gatectl_needs_scripts name target)
  if(NOT CMAKE_VERSION VERSION_LESS 3.19)
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==]
      CALL _gatectl_has_scripts [==[${name}]==] [==[${target}]==])")
  endif()
endfunction()

function(gatectl_add_check)
  _gatectl_arguments(gatectl_add_check "NAME;TARGET" "SCRIPTS;LABELS" "NAME;TARGET")
  _gatectl_name(gatectl_add_check)
  _gatectl_scripts(gatectl_add_check scripts ${_gatectl_SCRIPTS})

  if(scripts)
    set(options)
    set(fixtures)
    foreach(script IN LISTS scripts)
      list(APPEND options -g "${script}")
      list(APPEND fixtures "gatectl:${_gatectl_TARGET}:${script}")
    endforeach()
  else()
    _gatectl_needs_scripts("${_gatectl_NAME}" "${_gatectl_TARGET}")
    # All scripts of the target's tests, also of those that are added later.
    set(all "$<GENEX_EVAL:$<TARGET_PROPERTY:${_gatectl_TARGET},gatectl_scripts>>")
    set(options "-g;$<JOIN:$<REMOVE_DUPLICATES:${all}>,;-g;>")
    set(fixtures "gatectl:${_gatectl_TARGET}")
  endif()
  add_test(NAME "${_gatectl_NAME}" COMMAND_EXPAND_LISTS
    COMMAND gatectl::gatectl check --skip-if-unavailable "${options}" --
      "$<TARGET_FILE:${_gatectl_TARGET}>")
  _gatectl_properties("${_gatectl_NAME}" "${_gatectl_LABELS}")
  set_tests_properties("${_gatectl_NAME}" PROPERTIES FIXTURES_SETUP "${fixtures}" TIMEOUT 120)
endfunction()

# A failure's folder, report/1 and so on, is named in the test's output.
function(gatectl_add_exploration)
  _gatectl_arguments(gatectl_add_exploration "NAME;TARGET;RUNS;STRATEGY;TIME"
    "ARGS;LABELS;OPTIONS" "NAME;TARGET")
  if(NOT "${_gatectl_RUNS}" MATCHES "^([1-9][0-9]*)?$")
    message(FATAL_ERROR "gatectl_add_exploration: RUNS '${_gatectl_RUNS}' is not a positive number")
  endif()
  if(NOT "${_gatectl_TIME}" MATCHES "^([0-9]+(\\.[0-9]+)?)?$")
    message(FATAL_ERROR
      "gatectl_add_exploration: TIME '${_gatectl_TIME}' is not a number of seconds")
  endif()
  _gatectl_name(gatectl_add_exploration)
  _gatectl_keep_empty()
  _gatectl_report_base("${_gatectl_NAME}" report)

  set(options -o "${report}" --report "${report}.json" --report "${report}.html")
  if(NOT "${_gatectl_RUNS}" STREQUAL "")
    list(APPEND options --runs ${_gatectl_RUNS})
  endif()
  if(NOT "${_gatectl_STRATEGY}" STREQUAL "")
    if(_gatectl_STRATEGY MATCHES "\\.lua$")
      _gatectl_scripts(gatectl_add_exploration _gatectl_STRATEGY "${_gatectl_STRATEGY}")
    endif()
    list(APPEND options --strategy "${_gatectl_STRATEGY}")
  endif()
  if(NOT "${_gatectl_TIME}" MATCHES "^[0.]*$")
    list(APPEND options --for ${_gatectl_TIME})
  endif()
  add_test(NAME "${_gatectl_NAME}"
    COMMAND gatectl::gatectl explore --skip-if-unavailable ${options} ${_gatectl_OPTIONS} --
      "$<TARGET_FILE:${_gatectl_TARGET}>" ${_gatectl_ARGS})
  _gatectl_properties("${_gatectl_NAME}" "gatectl-exploration;${_gatectl_LABELS}")
  set_tests_properties("${_gatectl_NAME}" PROPERTIES
    ATTACHED_FILES_ON_FAIL "${report}.json;${report}.html")
  # What is found is made small and tried, for as long as the search again and a few minutes.
  if(NOT "${_gatectl_TIME}" MATCHES "^[0.]*$")
    _gatectl_timeout("${_gatectl_TIME}" 2 timeout)
    math(EXPR timeout "${timeout} + 300")
    set_tests_properties("${_gatectl_NAME}" PROPERTIES TIMEOUT ${timeout})
  endif()
endfunction()

cmake_policy(POP)

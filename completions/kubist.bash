# bash completion for kubist
_kubist() {
  local rest=${COMP_LINE:0:COMP_POINT} words=() word gap i
  # Bash splits at '=', ':' and '@' too: what stands together in the line is one word of kubist's.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=${rest%%[![:space:]]*}
    rest=${rest#"$gap"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$rest
    rest=${rest#"$word"}
    if ((i > 0)) && [[ -z $gap ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done

  local line directive= candidates=()
  while IFS= read -r line; do
    case $line in
      :*) directive=${line#:} ;;
      *) candidates+=("${line%%$'\t'*}") ;;
    esac
  done < <("${words[0]/#\~\//$HOME/}" __complete -- "${words[@]:1}" 2>/dev/null)

  COMPREPLY=()
  if [[ $directive == files ]]; then
    compopt -o default
    return
  fi
  # Only what stands behind the last of those characters is replaced, and an '@' itself.
  local typed=${words[-1]} head= candidate breaks=${COMP_WORDBREAKS//[!=:@]/}
  if [[ $breaks && $typed == *[$breaks]* ]]; then
    head=${typed%"${typed##*[$breaks]}"}
    head=${head%@}
  fi
  for candidate in "${candidates[@]}"; do
    if [[ $candidate == "$typed"* ]]; then
      printf -v candidate %q "${candidate#"$head"}"
      COMPREPLY+=("$candidate")
    fi
  done
  if [[ ${COMPREPLY[0]-} == *[/=] ]]; then
    compopt -o nospace
  fi
}
complete -F _kubist kubist

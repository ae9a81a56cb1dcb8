# bash completion for kubist
_kubist() {
  local line directive candidates=()
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) directive=${line#:} ;;
      *) candidates+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "${directive-}" = files ]; then
    compopt -o default
    return
  fi
  local cur=${COMP_WORDS[COMP_CWORD]}
  [ "$cur" = "=" ] && cur=
  local candidate
  for candidate in "${candidates[@]}"; do
    [[ $candidate == "$cur"* ]] && COMPREPLY+=("$candidate")
  done
  [[ ${COMPREPLY[0]-} == */ || ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}
complete -F _kubist kubist

# fish completion for kubist
function __kubist_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l directive
  for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case ':*'
        set directive (string sub -s 2 -- $line)
      case '*'
        echo $line
    end
  end
  if test "$directive" = files
    set -l typed (commandline -ct)
    set -l flag (string match -r -- '^-[^=]*=' $typed)
    for path in (__fish_complete_path (string replace -- "$flag" '' $typed))
      echo "$flag$path"
    end
  end
end
complete -c kubist -f -a '(__kubist_complete)'

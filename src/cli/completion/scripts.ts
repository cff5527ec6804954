/**
 * Each script passes the words up to the cursor to `spile --complete`. The output begins with the line `none`, `file` or
 * `folder`, with ` open` after it if the shell must not add a blank. Then each candidate has a line: the word, a tab and its
 * description.
 */
const bash = `# completion of spile for bash: eval "$(spile completion bash)"
_spile() {
  local i word glue="" kind="none" open="" value rest
  local -a words=()
  # bash breaks words at = and :; here they are put together again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ \${#words[@]} -gt 0 && ( $word == [=:] || -n $glue ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    glue=""
    [[ $word == [=:] ]] && glue=1
  done
  local fragment="\${COMP_WORDS[COMP_CWORD]}" current="\${words[\${#words[@]}-1]}" quote=""
  [[ $fragment == [=:] ]] && fragment=""
  [[ $fragment == [\\'\\"]* ]] && quote="\${fragment:0:1}"
  local before="\${current%"$fragment"}"
  for ((i = 0; i < \${#words[@]}; i++)); do
    word="\${words[i]#[\\'\\"]}"
    word="\${word%[\\'\\"]}"
    words[i]="\${word//\\\\/}"
  done
  fragment="\${fragment#[\\'\\"]}"
  fragment="\${fragment//\\\\/}"
  current="$before$fragment"
  COMPREPLY=()
  {
    read -r kind open
    while IFS=$'\\t' read -r value rest; do
      [[ $value == "$current"* ]] || continue
      value="\${value#"$before"}"
      # A name that would end the open quotes is left out, so that the shell never runs a part of it.
      case $quote in
        "'") [[ $value == *"'"* ]] && continue ;;
        '"') [[ $value == *[\\"\\\\\\\`\\$!]* ]] && continue ;;
        *) value=$(printf %q "$value") ;;
      esac
      COMPREPLY+=("$value")
    done
  } < <(spile --complete "\${words[@]}" 2>/dev/null)
  if [[ $kind != none ]]; then
    compopt -o filenames 2>/dev/null
    local flag=-f
    [[ $kind == folder ]] && flag=-d
    while read -r value; do COMPREPLY+=("$value"); done < <(compgen $flag -- "$fragment")
  fi
  [[ -n $open ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _spile spile
`;

const zsh = `#compdef spile
# completion of spile for zsh: eval "$(spile completion zsh)" after compinit, or as the file _spile in a folder of $fpath
_spile() {
  local line kind open
  local -a lines candidates suffix
  lines=("\${(@f)$(spile --complete "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=\${lines[1]%% *}
  [[ \${lines[1]} == *' open' ]] && suffix=(-S '')
  for line in "\${(@)lines[2,-1]}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  (( \${#candidates} )) && _describe -V spile candidates "\${suffix[@]}"
  if [[ $kind != none && -n $kind ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    [[ $kind == folder ]] && _files -/ || _files
  fi
}
if [[ \${funcstack[1]} == _spile ]]; then _spile "$@"; else compdef _spile spile; fi
`;

const fish = `# completion of spile for fish: spile completion fish | source
function __spile_complete
    set -l words (commandline -opc)
    set -l current (string replace -r -- '^["\\']' '' (commandline -ct))
    set -l lines (spile --complete $words[2..-1] "$current" 2>/dev/null)
    set -l kind (string split ' ' -- $lines[1])[1]
    for line in $lines[2..-1]
        echo $line
    end
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -l fragment (string replace -r -- '^--[^=]*=' '' "$current")
    if test "$kind" = file
        for path in (__fish_complete_path "$fragment")
            echo "$before$path"
        end
    else if test "$kind" = folder
        for path in (__fish_complete_directories "$fragment" '')
            echo "$before$path"
        end
    end
end
complete -c spile -f -a '(__spile_complete)'
`;

/** The completion script of each shell. */
export const scripts: ReadonlyMap<string, string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);

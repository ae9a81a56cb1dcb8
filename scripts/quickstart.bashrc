# What `scripts/quickstart shell` reads: the user's own settings, but for the way to the cluster; where one is; completion.
quickstart_path=$PATH quickstart_config=$KUBECONFIG
[ ! -f ~/.bashrc ] || . ~/.bashrc
export PATH=$quickstart_path:$PATH KUBECONFIG=$quickstart_config
unset quickstart_path quickstart_config
PS1="(quickstart) $PS1"
# kubectl's completion is written with the functions of bash-completion.
declare -F _get_comp_words_by_ref > /dev/null || . /usr/share/bash-completion/bash_completion
. <(kubist completion bash)
. <(kubectl completion bash)

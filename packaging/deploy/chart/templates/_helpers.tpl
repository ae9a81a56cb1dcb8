{{- define "kubist.image" -}}
{{- $repository := required "image.repository is not set: name where the image with kubist is, as in registry.example.com/kubist" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default (print "v" .Chart.AppVersion) }}
{{- end -}}
{{- end -}}

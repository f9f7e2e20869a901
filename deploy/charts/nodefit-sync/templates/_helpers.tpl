{{- define "nodefit-sync.labels" -}}
app.kubernetes.io/name: nodefit-sync
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* Releases have a Lease each: two of them in one namespace would wait for each other. */}}
{{- define "nodefit-sync.lease" -}}
{{- dig "leaderElection" "name" .Release.Name .Values.config }}
{{- end }}

{{- /* The port of health.address. */}}
{{- define "nodefit-sync.port" -}}
{{- dig "health" "address" ":8080" .Values.config | splitList ":" | last }}
{{- end }}

{{- /* The port of hook.address; empty where no webhook is accepted. */}}
{{- define "nodefit-sync.hookPort" -}}
{{- if hasKey .Values.config "hook" }}{{ dig "hook" "address" ":8081" .Values.config | splitList ":" | last }}{{ end }}
{{- end }}

{{- /* The port of git.url, where it is not one that is always allowed. */}}
{{- define "nodefit-sync.gitPort" -}}
{{- $url := dig "git" "url" "" .Values.config }}
{{- $named := regexFind "^[a-z]+://[^/]*:[0-9]+(/|$)" $url }}
{{- $port := ternary "80" "" (hasPrefix "http://" $url) }}
{{- if $named }}{{ $port = trimSuffix "/" $named | splitList ":" | last }}{{ end }}
{{- if not (has $port (list "22" "443" "6443")) }}{{ $port }}{{ end }}
{{- end }}

{{- define "nodefit-sync.spec" -}}
{{- $spec := deepCopy .Values.config }}
{{- if ne (include "nodefit-sync.lease" .) "nodefit-sync" }}
{{- $spec = mergeOverwrite $spec (dict "leaderElection" (dict "name" (include "nodefit-sync.lease" .))) }}
{{- end }}
{{- toYaml $spec }}
{{- end }}

{{- /* One ClusterRole with its binding: name, rules. */}}
{{- define "nodefit-sync.right" -}}
{{- $root := index . 0 }}
{{- $name := index . 1 }}
{{- $rules := index . 2 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $name }}
  labels:
    {{- include "nodefit-sync.labels" $root | nindent 4 }}
rules:
  {{- $rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $name }}
  labels:
    {{- include "nodefit-sync.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ $root.Release.Name }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}

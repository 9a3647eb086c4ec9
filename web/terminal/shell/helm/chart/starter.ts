// The chart that `helm create` writes: a web server with the values that charts usually have.

/** Returns the files of a new chart by path. */
export function starterFiles(name: string): [path: string, text: string][] {
  const all: [string, string][] = [
    [".helmignore", ignored],
    ["Chart.yaml", definition],
    ["values.yaml", values],
    ["templates/_helpers.tpl", helpers],
    ["templates/deployment.yaml", deployment],
    ["templates/service.yaml", service],
    ["templates/serviceaccount.yaml", serviceAccount],
    ["templates/ingress.yaml", ingress],
    ["templates/hpa.yaml", autoscaler],
    ["templates/NOTES.txt", notes],
    ["templates/tests/test-connection.yaml", test],
  ];
  return all.map(([path, text]) => [path, text.replaceAll("@NAME@", name)]);
}

const ignored = `# Files that are not packaged with the chart.
.git/
.DS_Store
*.bak
*.swp
*.tmp
`;

const definition = `apiVersion: v2
name: @NAME@
description: A Helm chart for Kubernetes
type: application
# The version of the chart. Increase it with each change.
version: 0.1.0
# The version of the application; it is the default tag of the image.
appVersion: "1.27"
`;

const values = `replicaCount: 1

image:
  repository: nginx
  pullPolicy: IfNotPresent
  # The chart's appVersion if empty.
  tag: ""
imagePullSecrets: []

nameOverride: ""
fullnameOverride: ""

serviceAccount:
  create: true
  annotations: {}
  # Derived from the release if empty.
  name: ""

podAnnotations: {}
podLabels: {}
podSecurityContext: {}
securityContext: {}

service:
  type: ClusterIP
  port: 80

ingress:
  enabled: false
  className: ""
  annotations: {}
  hosts:
    - host: @NAME@.local
      paths:
        - path: /
          pathType: Prefix
  tls: []

resources: {}

livenessProbe:
  httpGet:
    path: /
    port: http
readinessProbe:
  httpGet:
    path: /
    port: http

autoscaling:
  enabled: false
  minReplicas: 1
  maxReplicas: 5
  targetCPUUtilizationPercentage: 80

nodeSelector: {}
tolerations: []
affinity: {}
`;

const helpers = `{{- define "@NAME@.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Names are at most 63 characters long, as Kubernetes requires. */}}
{{- define "@NAME@.fullname" -}}
{{- $name := include "@NAME@.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "@NAME@.selectorLabels" -}}
app.kubernetes.io/name: {{ include "@NAME@.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "@NAME@.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "@NAME@.selectorLabels" . }}
{{- with .Chart.AppVersion }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "@NAME@.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "@NAME@.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}
`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "@NAME@.fullname" . }}
  labels:
    {{- include "@NAME@.labels" . | nindent 4 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "@NAME@.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      {{- with .Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      labels:
        {{- include "@NAME@.labels" . | nindent 8 }}
        {{- with .Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      serviceAccountName: {{ include "@NAME@.serviceAccountName" . }}
      {{- with .Values.podSecurityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .Chart.Name }}
          {{- with .Values.securityContext }}
          securityContext:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          ports:
            - name: http
              containerPort: {{ .Values.service.port }}
              protocol: TCP
          {{- with .Values.livenessProbe }}
          livenessProbe:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- with .Values.readinessProbe }}
          readinessProbe:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
`;

const service = `apiVersion: v1
kind: Service
metadata:
  name: {{ include "@NAME@.fullname" . }}
  labels:
    {{- include "@NAME@.labels" . | nindent 4 }}
spec:
  type: {{ .Values.service.type }}
  ports:
    - port: {{ .Values.service.port }}
      targetPort: http
      protocol: TCP
      name: http
  selector:
    {{- include "@NAME@.selectorLabels" . | nindent 4 }}
`;

const serviceAccount = `{{- if .Values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "@NAME@.serviceAccountName" . }}
  labels:
    {{- include "@NAME@.labels" . | nindent 4 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
`;

const ingress = `{{- if .Values.ingress.enabled -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "@NAME@.fullname" . }}
  labels:
    {{- include "@NAME@.labels" . | nindent 4 }}
  {{- with .Values.ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .Values.ingress.tls }}
  tls:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    {{- range .Values.ingress.hosts }}
    - host: {{ .host | quote }}
      http:
        paths:
          {{- range .paths }}
          - path: {{ .path }}
            pathType: {{ .pathType }}
            backend:
              service:
                name: {{ include "@NAME@.fullname" $ }}
                port:
                  number: {{ $.Values.service.port }}
          {{- end }}
    {{- end }}
{{- end }}
`;

const autoscaler = `{{- if .Values.autoscaling.enabled }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "@NAME@.fullname" . }}
  labels:
    {{- include "@NAME@.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "@NAME@.fullname" . }}
  minReplicas: {{ .Values.autoscaling.minReplicas }}
  maxReplicas: {{ .Values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .Values.autoscaling.targetCPUUtilizationPercentage }}
{{- end }}
`;

const notes = `Forward a port to the application:

  kubectl port-forward -n {{ .Release.Namespace }} svc/{{ include "@NAME@.fullname" . }} 8080:{{ .Values.service.port }}
`;

const test = `apiVersion: v1
kind: Pod
metadata:
  name: "{{ include "@NAME@.fullname" . }}-test-connection"
  labels:
    {{- include "@NAME@.labels" . | nindent 4 }}
  annotations:
    "helm.sh/hook": test
spec:
  containers:
    - name: wget
      image: busybox
      command: ['wget']
      args: ['{{ include "@NAME@.fullname" . }}:{{ .Values.service.port }}']
  restartPolicy: Never
`;

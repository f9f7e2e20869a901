// @ts-nocheck
/** Generated from fn-config/ by npm run generate. Do not edit. */
"use strict";
export const validateSizingPolicy = validate10;
const schema11 = {"$schema":"http://json-schema.org/draft-07/schema#","title":"SizingPolicy","description":"How a DaemonSet is sized per node group.","type":"object","required":["apiVersion","kind","metadata","spec"],"additionalProperties":false,"properties":{"apiVersion":{"type":"string","enum":["nodefit.dev/v1alpha1"],"title":"API version","description":"The version of this resource."},"kind":{"type":"string","enum":["SizingPolicy"],"title":"Kind","description":"The kind of this resource."},"metadata":{"$ref":"#/definitions/metadata"},"spec":{"type":"object","title":"Specification","description":"What to size, by which nodes, and how.","required":["targetRef"],"additionalProperties":false,"properties":{"enabled":{"type":"boolean","title":"Enabled","description":"Whether to render. When false, what was rendered is removed and the template is handed back.","default":true,"examples":[false]},"cluster":{"type":"string","title":"Cluster","description":"The cluster this policy is for. Needed where the scope holds inventories of several clusters.","examples":["prod-eu"]},"targetRef":{"type":"object","title":"Target","description":"The object that is the template of what is rendered, in the policy's namespace and package.","required":["name"],"additionalProperties":false,"properties":{"apiVersion":{"type":"string","title":"Target API version","description":"API version of the target.","default":"apps/v1","examples":["apps/v1"]},"kind":{"type":"string","enum":["DaemonSet","ConfigMap","Order"],"title":"Target kind","description":"Kind of the target. ConfigMap and Order are not built yet.","default":"DaemonSet","examples":["DaemonSet"]},"name":{"type":"string","title":"Target name","description":"Name of the target; what is rendered is called `<target>-<group>`.","examples":["fluent-bit"],"x-flat":"target"},"key":{"type":"string","title":"Target key","description":"Key within a ConfigMap.","examples":["daemonset-template.yaml"],"x-not-built":true}}},"nodeGroupLabel":{"type":"string","title":"Node group label","description":"The node label whose values make the groups.","default":"node.kubernetes.io/instance-type","examples":["karpenter.sh/nodepool"],"x-flat":"nodeGroupLabel"},"nodeGroupLabels":{"type":"array","minItems":1,"items":{"type":"string"},"title":"Node group labels","description":"Several node labels: each combination of their values is a group. Instead of nodeGroupLabel; only one of the two may be given.","examples":[["node.kubernetes.io/instance-type","topology.kubernetes.io/zone"]]},"groups":{"type":"array","title":"Explicit groups","description":"Groups chosen by selector before the label is looked at. The first match wins; every later group excludes the earlier ones.","examples":[[{"name":"gpu","nodeSelector":{"nvidia.com/gpu.present":"true"}}]],"items":{"type":"object","required":["name","nodeSelector"],"additionalProperties":false,"properties":{"name":{"type":"string","title":"Group name","description":"Name part of the group.","examples":["gpu"]},"nodeSelector":{"type":"object","minProperties":1,"additionalProperties":{"type":"string"},"title":"Group selector","description":"Labels a node of this group carries.","examples":[{"nvidia.com/gpu.present":"true"}]},"resourcePercentages":{"$ref":"#/definitions/percentages"},"minResources":{"$ref":"#/definitions/bounds"},"maxResources":{"$ref":"#/definitions/bounds"}}}},"resourcePercentages":{"type":"object","title":"Percentages","description":"Shares of a node's allocatable resources, above 0 and at most 100, decimals allowed. null: not set, and removed from the template.","additionalProperties":false,"properties":{"requestCPU":{"$ref":"#/definitions/percentage","title":"CPU request","description":"CPU request in percent of allocatable.","default":2,"examples":[2.5],"x-flat":"requestCPU"},"requestMemory":{"$ref":"#/definitions/percentage","title":"Memory request","description":"Memory request in percent of allocatable.","default":2,"examples":[3],"x-flat":"requestMemory"},"limitCPU":{"$ref":"#/definitions/percentage","title":"CPU limit","description":"CPU limit in percent of allocatable.","default":5,"examples":[null],"x-flat":"limitCPU"},"limitMemory":{"$ref":"#/definitions/percentage","title":"Memory limit","description":"Memory limit in percent of allocatable.","default":5,"examples":[6],"x-flat":"limitMemory"}}},"minResources":{"type":"object","title":"Minimum","description":"No request and no limit of a pod is below this; shares divide it.","additionalProperties":false,"properties":{"cpu":{"$ref":"#/definitions/quantity","title":"Minimum CPU","description":"Least CPU request and limit.","default":"100m","examples":["50m"],"x-flat":"minCPU"},"memory":{"$ref":"#/definitions/quantity","title":"Minimum memory","description":"Least memory request and limit.","default":"180Mi","examples":["64Mi"],"x-flat":"minMemory"}}},"maxResources":{"type":"object","title":"Maximum","description":"No request and no limit of a pod is above this; shares divide it.","additionalProperties":false,"properties":{"cpu":{"$ref":"#/definitions/quantity","title":"Maximum CPU","description":"Greatest CPU request and limit.","default":"2000m","examples":["4"],"x-flat":"maxCPU"},"memory":{"$ref":"#/definitions/quantity","title":"Maximum memory","description":"Greatest memory request and limit.","default":"4Gi","examples":["8Gi"],"x-flat":"maxMemory"}}},"reconcileInterval":{"type":"string","title":"Reconcile interval","description":"The longest time to a re-render by the controller.","default":"5m","examples":["10m"],"x-not-built":true},"defaultNodeGroup":{"type":"string","title":"Default group","description":"Name of the group of nodes without the label. Empty: such nodes get no agent and are reported.","default":"default","examples":[""],"x-flat":"defaultNodeGroup"},"remainder":{"type":"boolean","title":"Remainder","description":"Whether to render a DaemonSet for label values that are not in the inventory yet.","default":true,"examples":[false],"x-flat":"remainder"},"nodeSelector":{"type":"object","additionalProperties":{"type":"string"},"title":"Node selector","description":"Which nodes this policy is about; merged into the nodeSelector of what is rendered.","examples":[{"kubernetes.io/os":"linux"}]},"affinity":{"type":"object","title":"Affinity","description":"Which nodes this policy is about; its required node affinity is joined by AND with the template's.","examples":[{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/arch","operator":"In","values":["arm64"]}]}]}}}],"additionalProperties":false,"properties":{"nodeAffinity":{"type":"object","additionalProperties":false,"properties":{"requiredDuringSchedulingIgnoredDuringExecution":{"type":"object","required":["nodeSelectorTerms"],"additionalProperties":false,"properties":{"nodeSelectorTerms":{"type":"array","items":{"$ref":"#/definitions/nodeTerm"}}}},"preferredDuringSchedulingIgnoredDuringExecution":{"type":"array","items":{"type":"object"}}}},"podAffinity":{"type":"object"},"podAntiAffinity":{"type":"object"}}},"tolerations":{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"key":{"type":"string"},"operator":{"type":"string","enum":["Equal","Exists","Gt","Lt"]},"value":{"type":"string"},"effect":{"type":"string","enum":["NoSchedule","PreferNoSchedule","NoExecute"]},"tolerationSeconds":{"type":"integer"}}},"title":"Tolerations","description":"Added to the template's tolerations.","examples":[[{"key":"dedicated","operator":"Exists"}]]},"containers":{"type":"array","minItems":1,"title":"Containers","description":"Which containers are sized, and their share of the pod's budget in percent; shares add up to 100. Default: the only container, or the one named like the target.","examples":[[{"name":"agent","share":75},{"name":"exporter","share":25}]],"items":{"type":"object","required":["name"],"additionalProperties":false,"properties":{"name":{"type":"string","title":"Container name","description":"A container of the template.","examples":["agent"]},"share":{"type":"number","exclusiveMinimum":0,"maximum":100,"title":"Share","description":"Percent of the pod's budget.","default":100,"examples":[75]}}}},"env":{"type":"array","title":"Derived environment","description":"Environment variables computed from the sizes, such as a heap limit.","examples":[[{"container":"agent","name":"HEAP_MB","from":"limits.memory","fraction":0.75,"unit":"MiB","suffix":false}]],"items":{"type":"object","required":["name","from"],"additionalProperties":false,"properties":{"container":{"type":"string","title":"Container of the variable","description":"Which sized container. Default: the only sized one.","examples":["agent"]},"name":{"type":"string","title":"Variable name","description":"Name of the environment variable.","examples":["GOMEMLIMIT"]},"from":{"type":"string","enum":["requests.cpu","requests.memory","limits.cpu","limits.memory"],"title":"Source","description":"The size it is computed from, before printing.","examples":["limits.memory"]},"fraction":{"type":"number","exclusiveMinimum":0,"maximum":1,"title":"Fraction","description":"Part of the size, above 0 and at most 1.","default":1,"examples":[0.8]},"unit":{"type":"string","enum":["B","KiB","MiB","GiB","Ki","Mi","Gi","m","cores"],"title":"Unit","description":"Unit the value is rounded down to, and printed with. B and cores are plain numbers; cores are at least 1. Default: MiB for memory, m for CPU.","examples":["MiB"]},"suffix":{"type":"boolean","title":"Suffix","description":"Whether the unit stands behind the number.","default":true,"examples":[false]}}}},"overrides":{"type":"array","title":"Overrides","description":"Other percentages or bounds for some groups, named by label value or name part. A later entry wins.","examples":[[{"groups":["g5.xlarge"],"minResources":{"memory":"512Mi"}}]],"items":{"type":"object","required":["groups"],"additionalProperties":false,"properties":{"groups":{"type":"array","minItems":1,"items":{"type":"string"},"title":"Groups","description":"The groups this entry is for.","examples":[["g5.xlarge"]]},"resourcePercentages":{"$ref":"#/definitions/percentages"},"minResources":{"$ref":"#/definitions/bounds"},"maxResources":{"$ref":"#/definitions/bounds"}}}},"names":{"type":"object","additionalProperties":{"type":"string"},"title":"Names","description":"Explicit DaemonSet names by label value or name part.","examples":[{"m5.large":"agent-m5"}]},"labels":{"type":"object","title":"Labels","description":"The two labels on what is rendered.","additionalProperties":false,"properties":{"managedBy":{"type":"string","title":"Managed-by label","description":"Label `key=value` that marks what is rendered.","default":"nodefit.dev/managed-by=nodefit","examples":["example.com/managed-by=nodefit"]},"nodeGroup":{"type":"string","title":"Node group label of the output","description":"Key of the label that carries the group; part of the selector.","default":"nodefit.dev/node-group","examples":["example.com/node-group"]}}},"goMemLimitPercentage":{"type":"number","title":"GOMEMLIMIT","description":"GOMEMLIMIT of the sized containers as a fraction of the memory limit, above 0 and at most 1. Unset: GOMEMLIMIT is not touched.","examples":[0.8]},"seLinuxType":{"type":"string","title":"SELinux type","description":"SELinux type of the sized containers. Unset: not touched.","examples":["spc_t"]},"bottlerocketAutoDetect":{"type":"boolean","title":"Bottlerocket","description":"Whether groups with Bottlerocket nodes get the SELinux type super_t. Unset: not touched.","examples":[true]},"formerNames":{"type":"array","items":{"type":"string"},"title":"Former names","description":"Names this policy had before; what was rendered under them is taken over.","examples":[["old-name"]]},"basis":{"type":"string","enum":["smallest","median"],"title":"Basis","description":"Which node of a group the percentages are taken of.","default":"smallest","examples":["median"],"x-not-built":true},"step":{"type":"object","title":"Step","description":"Rounding step: requests up, limits down.","examples":[{"cpu":"10m","memory":"16Mi"}],"x-not-built":true},"hysteresisPercent":{"type":"number","title":"Hysteresis","description":"Keep the rendered size while the new one is this near.","default":0,"examples":[5],"x-not-built":true},"classes":{"type":"object","title":"Classes","description":"Merge label values of similar size into one DaemonSet.","examples":[{"ratio":2}],"x-not-built":true}}}},"definitions":{"metadata":{"type":"object","title":"Metadata","description":"Kubernetes object metadata.","required":["name"],"properties":{"name":{"type":"string","title":"Name","description":"Name of the policy; it is the owner of what is rendered.","x-flat":"name"},"namespace":{"type":"string","title":"Namespace","description":"Namespace of the target.","x-flat":"namespace"},"labels":{"type":["object","null"],"title":"Labels","description":"Labels of the policy."},"annotations":{"type":["object","null"],"title":"Annotations","description":"Annotations of the policy."}}},"percentage":{"type":["number","null"]},"quantity":{"type":["string","number"]},"percentages":{"type":"object","title":"Percentages of some groups","description":"As resourcePercentages; what is absent stays as it is.","additionalProperties":false,"properties":{"requestCPU":{"$ref":"#/definitions/percentage"},"requestMemory":{"$ref":"#/definitions/percentage"},"limitCPU":{"$ref":"#/definitions/percentage"},"limitMemory":{"$ref":"#/definitions/percentage"}}},"bounds":{"type":"object","title":"Bounds of some groups","description":"As minResources and maxResources; what is absent stays as it is.","additionalProperties":false,"properties":{"cpu":{"$ref":"#/definitions/quantity"},"memory":{"$ref":"#/definitions/quantity"}}},"nodeRequirement":{"type":"object","required":["key","operator"],"additionalProperties":false,"properties":{"key":{"type":"string"},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":["array","null"],"items":{"type":"string"}}}},"nodeTerm":{"type":"object","additionalProperties":false,"properties":{"matchExpressions":{"type":["array","null"],"items":{"$ref":"#/definitions/nodeRequirement"}},"matchFields":{"type":["array","null"],"items":{"$ref":"#/definitions/nodeRequirement"}}}}}};
const schema12 = {"type":"object","title":"Metadata","description":"Kubernetes object metadata.","required":["name"],"properties":{"name":{"type":"string","title":"Name","description":"Name of the policy; it is the owner of what is rendered.","x-flat":"name"},"namespace":{"type":"string","title":"Namespace","description":"Namespace of the target.","x-flat":"namespace"},"labels":{"type":["object","null"],"title":"Labels","description":"Labels of the policy."},"annotations":{"type":["object","null"],"title":"Annotations","description":"Annotations of the policy."}}};
const schema14 = {"type":["number","null"]};
const schema19 = {"type":["string","number"]};
const func2 = Object.prototype.hasOwnProperty;

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((((key0 === "requestCPU") || (key0 === "requestMemory")) || (key0 === "limitCPU")) || (key0 === "limitMemory"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.requestCPU !== undefined){
let data0 = data.requestCPU;
if((!((typeof data0 == "number") && (isFinite(data0)))) && (data0 !== null)){
const err1 = {instancePath:instancePath+"/requestCPU",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.requestMemory !== undefined){
let data1 = data.requestMemory;
if((!((typeof data1 == "number") && (isFinite(data1)))) && (data1 !== null)){
const err2 = {instancePath:instancePath+"/requestMemory",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
if(data.limitCPU !== undefined){
let data2 = data.limitCPU;
if((!((typeof data2 == "number") && (isFinite(data2)))) && (data2 !== null)){
const err3 = {instancePath:instancePath+"/limitCPU",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.limitMemory !== undefined){
let data3 = data.limitMemory;
if((!((typeof data3 == "number") && (isFinite(data3)))) && (data3 !== null)){
const err4 = {instancePath:instancePath+"/limitMemory",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
else {
const err5 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
validate11.errors = vErrors;
return errors === 0;
}


function validate13(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((key0 === "cpu") || (key0 === "memory"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.cpu !== undefined){
let data0 = data.cpu;
if((typeof data0 !== "string") && (!((typeof data0 == "number") && (isFinite(data0))))){
const err1 = {instancePath:instancePath+"/cpu",schemaPath:"#/definitions/quantity/type",keyword:"type",params:{type: schema19.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
if(data.memory !== undefined){
let data1 = data.memory;
if((typeof data1 !== "string") && (!((typeof data1 == "number") && (isFinite(data1))))){
const err2 = {instancePath:instancePath+"/memory",schemaPath:"#/definitions/quantity/type",keyword:"type",params:{type: schema19.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
}
else {
const err3 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
validate13.errors = vErrors;
return errors === 0;
}

const schema29 = {"type":"object","additionalProperties":false,"properties":{"matchExpressions":{"type":["array","null"],"items":{"$ref":"#/definitions/nodeRequirement"}},"matchFields":{"type":["array","null"],"items":{"$ref":"#/definitions/nodeRequirement"}}}};
const schema30 = {"type":"object","required":["key","operator"],"additionalProperties":false,"properties":{"key":{"type":"string"},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist","Gt","Lt"]},"values":{"type":["array","null"],"items":{"type":"string"}}}};

function validate16(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((key0 === "matchExpressions") || (key0 === "matchFields"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
if(data.matchExpressions !== undefined){
let data0 = data.matchExpressions;
if((!(Array.isArray(data0))) && (data0 !== null)){
const err1 = {instancePath:instancePath+"/matchExpressions",schemaPath:"#/properties/matchExpressions/type",keyword:"type",params:{type: schema29.properties.matchExpressions.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(Array.isArray(data0)){
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
if(data1.key === undefined){
const err2 = {instancePath:instancePath+"/matchExpressions/" + i0,schemaPath:"#/definitions/nodeRequirement/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data1.operator === undefined){
const err3 = {instancePath:instancePath+"/matchExpressions/" + i0,schemaPath:"#/definitions/nodeRequirement/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key1 in data1){
if(!(((key1 === "key") || (key1 === "operator")) || (key1 === "values"))){
const err4 = {instancePath:instancePath+"/matchExpressions/" + i0,schemaPath:"#/definitions/nodeRequirement/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data1.key !== undefined){
if(typeof data1.key !== "string"){
const err5 = {instancePath:instancePath+"/matchExpressions/" + i0+"/key",schemaPath:"#/definitions/nodeRequirement/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data1.operator !== undefined){
let data3 = data1.operator;
if(typeof data3 !== "string"){
const err6 = {instancePath:instancePath+"/matchExpressions/" + i0+"/operator",schemaPath:"#/definitions/nodeRequirement/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(!((((((data3 === "In") || (data3 === "NotIn")) || (data3 === "Exists")) || (data3 === "DoesNotExist")) || (data3 === "Gt")) || (data3 === "Lt"))){
const err7 = {instancePath:instancePath+"/matchExpressions/" + i0+"/operator",schemaPath:"#/definitions/nodeRequirement/properties/operator/enum",keyword:"enum",params:{allowedValues: schema30.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data1.values !== undefined){
let data4 = data1.values;
if((!(Array.isArray(data4))) && (data4 !== null)){
const err8 = {instancePath:instancePath+"/matchExpressions/" + i0+"/values",schemaPath:"#/definitions/nodeRequirement/properties/values/type",keyword:"type",params:{type: schema30.properties.values.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(Array.isArray(data4)){
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
if(typeof data4[i1] !== "string"){
const err9 = {instancePath:instancePath+"/matchExpressions/" + i0+"/values/" + i1,schemaPath:"#/definitions/nodeRequirement/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
}
}
else {
const err10 = {instancePath:instancePath+"/matchExpressions/" + i0,schemaPath:"#/definitions/nodeRequirement/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
}
}
if(data.matchFields !== undefined){
let data6 = data.matchFields;
if((!(Array.isArray(data6))) && (data6 !== null)){
const err11 = {instancePath:instancePath+"/matchFields",schemaPath:"#/properties/matchFields/type",keyword:"type",params:{type: schema29.properties.matchFields.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(Array.isArray(data6)){
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
let data7 = data6[i2];
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(data7.key === undefined){
const err12 = {instancePath:instancePath+"/matchFields/" + i2,schemaPath:"#/definitions/nodeRequirement/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data7.operator === undefined){
const err13 = {instancePath:instancePath+"/matchFields/" + i2,schemaPath:"#/definitions/nodeRequirement/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
for(const key2 in data7){
if(!(((key2 === "key") || (key2 === "operator")) || (key2 === "values"))){
const err14 = {instancePath:instancePath+"/matchFields/" + i2,schemaPath:"#/definitions/nodeRequirement/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data7.key !== undefined){
if(typeof data7.key !== "string"){
const err15 = {instancePath:instancePath+"/matchFields/" + i2+"/key",schemaPath:"#/definitions/nodeRequirement/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data7.operator !== undefined){
let data9 = data7.operator;
if(typeof data9 !== "string"){
const err16 = {instancePath:instancePath+"/matchFields/" + i2+"/operator",schemaPath:"#/definitions/nodeRequirement/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
if(!((((((data9 === "In") || (data9 === "NotIn")) || (data9 === "Exists")) || (data9 === "DoesNotExist")) || (data9 === "Gt")) || (data9 === "Lt"))){
const err17 = {instancePath:instancePath+"/matchFields/" + i2+"/operator",schemaPath:"#/definitions/nodeRequirement/properties/operator/enum",keyword:"enum",params:{allowedValues: schema30.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data7.values !== undefined){
let data10 = data7.values;
if((!(Array.isArray(data10))) && (data10 !== null)){
const err18 = {instancePath:instancePath+"/matchFields/" + i2+"/values",schemaPath:"#/definitions/nodeRequirement/properties/values/type",keyword:"type",params:{type: schema30.properties.values.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(Array.isArray(data10)){
const len3 = data10.length;
for(let i3=0; i3<len3; i3++){
if(typeof data10[i3] !== "string"){
const err19 = {instancePath:instancePath+"/matchFields/" + i2+"/values/" + i3,schemaPath:"#/definitions/nodeRequirement/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
}
}
else {
const err20 = {instancePath:instancePath+"/matchFields/" + i2,schemaPath:"#/definitions/nodeRequirement/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
}
}
else {
const err21 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
validate16.errors = vErrors;
return errors === 0;
}


function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "spec"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
if(!(data0 === "nodefit.dev/v1alpha1")){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/enum",keyword:"enum",params:{allowedValues: schema11.properties.apiVersion.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
if(!(data1 === "SizingPolicy")){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.name === undefined){
const err9 = {instancePath:instancePath+"/metadata",schemaPath:"#/definitions/metadata/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
if(data2.name !== undefined){
if(typeof data2.name !== "string"){
const err10 = {instancePath:instancePath+"/metadata/name",schemaPath:"#/definitions/metadata/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data2.namespace !== undefined){
if(typeof data2.namespace !== "string"){
const err11 = {instancePath:instancePath+"/metadata/namespace",schemaPath:"#/definitions/metadata/properties/namespace/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data2.labels !== undefined){
let data5 = data2.labels;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
const err12 = {instancePath:instancePath+"/metadata/labels",schemaPath:"#/definitions/metadata/properties/labels/type",keyword:"type",params:{type: schema12.properties.labels.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
if(data2.annotations !== undefined){
let data6 = data2.annotations;
if((!(data6 && typeof data6 == "object" && !Array.isArray(data6))) && (data6 !== null)){
const err13 = {instancePath:instancePath+"/metadata/annotations",schemaPath:"#/definitions/metadata/properties/annotations/type",keyword:"type",params:{type: schema12.properties.annotations.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
else {
const err14 = {instancePath:instancePath+"/metadata",schemaPath:"#/definitions/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
if(data.spec !== undefined){
let data7 = data.spec;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(data7.targetRef === undefined){
const err15 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "targetRef"},message:"must have required property '"+"targetRef"+"'"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
for(const key1 in data7){
if(!(func2.call(schema11.properties.spec.properties, key1))){
const err16 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data7.enabled !== undefined){
if(typeof data7.enabled !== "boolean"){
const err17 = {instancePath:instancePath+"/spec/enabled",schemaPath:"#/properties/spec/properties/enabled/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data7.cluster !== undefined){
if(typeof data7.cluster !== "string"){
const err18 = {instancePath:instancePath+"/spec/cluster",schemaPath:"#/properties/spec/properties/cluster/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data7.targetRef !== undefined){
let data10 = data7.targetRef;
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.name === undefined){
const err19 = {instancePath:instancePath+"/spec/targetRef",schemaPath:"#/properties/spec/properties/targetRef/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
for(const key2 in data10){
if(!((((key2 === "apiVersion") || (key2 === "kind")) || (key2 === "name")) || (key2 === "key"))){
const err20 = {instancePath:instancePath+"/spec/targetRef",schemaPath:"#/properties/spec/properties/targetRef/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data10.apiVersion !== undefined){
if(typeof data10.apiVersion !== "string"){
const err21 = {instancePath:instancePath+"/spec/targetRef/apiVersion",schemaPath:"#/properties/spec/properties/targetRef/properties/apiVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
if(data10.kind !== undefined){
let data12 = data10.kind;
if(typeof data12 !== "string"){
const err22 = {instancePath:instancePath+"/spec/targetRef/kind",schemaPath:"#/properties/spec/properties/targetRef/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(!(((data12 === "DaemonSet") || (data12 === "ConfigMap")) || (data12 === "Order"))){
const err23 = {instancePath:instancePath+"/spec/targetRef/kind",schemaPath:"#/properties/spec/properties/targetRef/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.targetRef.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
if(data10.name !== undefined){
if(typeof data10.name !== "string"){
const err24 = {instancePath:instancePath+"/spec/targetRef/name",schemaPath:"#/properties/spec/properties/targetRef/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data10.key !== undefined){
if(typeof data10.key !== "string"){
const err25 = {instancePath:instancePath+"/spec/targetRef/key",schemaPath:"#/properties/spec/properties/targetRef/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
}
else {
const err26 = {instancePath:instancePath+"/spec/targetRef",schemaPath:"#/properties/spec/properties/targetRef/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data7.nodeGroupLabel !== undefined){
if(typeof data7.nodeGroupLabel !== "string"){
const err27 = {instancePath:instancePath+"/spec/nodeGroupLabel",schemaPath:"#/properties/spec/properties/nodeGroupLabel/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data7.nodeGroupLabels !== undefined){
let data16 = data7.nodeGroupLabels;
if(Array.isArray(data16)){
if(data16.length < 1){
const err28 = {instancePath:instancePath+"/spec/nodeGroupLabels",schemaPath:"#/properties/spec/properties/nodeGroupLabels/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
const len0 = data16.length;
for(let i0=0; i0<len0; i0++){
if(typeof data16[i0] !== "string"){
const err29 = {instancePath:instancePath+"/spec/nodeGroupLabels/" + i0,schemaPath:"#/properties/spec/properties/nodeGroupLabels/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath:instancePath+"/spec/nodeGroupLabels",schemaPath:"#/properties/spec/properties/nodeGroupLabels/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
if(data7.groups !== undefined){
let data18 = data7.groups;
if(Array.isArray(data18)){
const len1 = data18.length;
for(let i1=0; i1<len1; i1++){
let data19 = data18[i1];
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
if(data19.name === undefined){
const err31 = {instancePath:instancePath+"/spec/groups/" + i1,schemaPath:"#/properties/spec/properties/groups/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
if(data19.nodeSelector === undefined){
const err32 = {instancePath:instancePath+"/spec/groups/" + i1,schemaPath:"#/properties/spec/properties/groups/items/required",keyword:"required",params:{missingProperty: "nodeSelector"},message:"must have required property '"+"nodeSelector"+"'"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
for(const key3 in data19){
if(!(((((key3 === "name") || (key3 === "nodeSelector")) || (key3 === "resourcePercentages")) || (key3 === "minResources")) || (key3 === "maxResources"))){
const err33 = {instancePath:instancePath+"/spec/groups/" + i1,schemaPath:"#/properties/spec/properties/groups/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data19.name !== undefined){
if(typeof data19.name !== "string"){
const err34 = {instancePath:instancePath+"/spec/groups/" + i1+"/name",schemaPath:"#/properties/spec/properties/groups/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data19.nodeSelector !== undefined){
let data21 = data19.nodeSelector;
if(data21 && typeof data21 == "object" && !Array.isArray(data21)){
if(Object.keys(data21).length < 1){
const err35 = {instancePath:instancePath+"/spec/groups/" + i1+"/nodeSelector",schemaPath:"#/properties/spec/properties/groups/items/properties/nodeSelector/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
for(const key4 in data21){
if(typeof data21[key4] !== "string"){
const err36 = {instancePath:instancePath+"/spec/groups/" + i1+"/nodeSelector/" + key4.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/groups/items/properties/nodeSelector/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
}
else {
const err37 = {instancePath:instancePath+"/spec/groups/" + i1+"/nodeSelector",schemaPath:"#/properties/spec/properties/groups/items/properties/nodeSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
if(data19.resourcePercentages !== undefined){
if(!(validate11(data19.resourcePercentages, {instancePath:instancePath+"/spec/groups/" + i1+"/resourcePercentages",parentData:data19,parentDataProperty:"resourcePercentages",rootData}))){
vErrors = vErrors === null ? validate11.errors : vErrors.concat(validate11.errors);
errors = vErrors.length;
}
}
if(data19.minResources !== undefined){
if(!(validate13(data19.minResources, {instancePath:instancePath+"/spec/groups/" + i1+"/minResources",parentData:data19,parentDataProperty:"minResources",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
if(data19.maxResources !== undefined){
if(!(validate13(data19.maxResources, {instancePath:instancePath+"/spec/groups/" + i1+"/maxResources",parentData:data19,parentDataProperty:"maxResources",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
}
else {
const err38 = {instancePath:instancePath+"/spec/groups/" + i1,schemaPath:"#/properties/spec/properties/groups/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
}
else {
const err39 = {instancePath:instancePath+"/spec/groups",schemaPath:"#/properties/spec/properties/groups/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data7.resourcePercentages !== undefined){
let data26 = data7.resourcePercentages;
if(data26 && typeof data26 == "object" && !Array.isArray(data26)){
for(const key5 in data26){
if(!((((key5 === "requestCPU") || (key5 === "requestMemory")) || (key5 === "limitCPU")) || (key5 === "limitMemory"))){
const err40 = {instancePath:instancePath+"/spec/resourcePercentages",schemaPath:"#/properties/spec/properties/resourcePercentages/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
if(data26.requestCPU !== undefined){
let data27 = data26.requestCPU;
if((!((typeof data27 == "number") && (isFinite(data27)))) && (data27 !== null)){
const err41 = {instancePath:instancePath+"/spec/resourcePercentages/requestCPU",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
if(data26.requestMemory !== undefined){
let data28 = data26.requestMemory;
if((!((typeof data28 == "number") && (isFinite(data28)))) && (data28 !== null)){
const err42 = {instancePath:instancePath+"/spec/resourcePercentages/requestMemory",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data26.limitCPU !== undefined){
let data29 = data26.limitCPU;
if((!((typeof data29 == "number") && (isFinite(data29)))) && (data29 !== null)){
const err43 = {instancePath:instancePath+"/spec/resourcePercentages/limitCPU",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
if(data26.limitMemory !== undefined){
let data30 = data26.limitMemory;
if((!((typeof data30 == "number") && (isFinite(data30)))) && (data30 !== null)){
const err44 = {instancePath:instancePath+"/spec/resourcePercentages/limitMemory",schemaPath:"#/definitions/percentage/type",keyword:"type",params:{type: schema14.type},message:"must be number,null"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
}
else {
const err45 = {instancePath:instancePath+"/spec/resourcePercentages",schemaPath:"#/properties/spec/properties/resourcePercentages/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
if(data7.minResources !== undefined){
let data31 = data7.minResources;
if(data31 && typeof data31 == "object" && !Array.isArray(data31)){
for(const key6 in data31){
if(!((key6 === "cpu") || (key6 === "memory"))){
const err46 = {instancePath:instancePath+"/spec/minResources",schemaPath:"#/properties/spec/properties/minResources/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
if(data31.cpu !== undefined){
let data32 = data31.cpu;
if((typeof data32 !== "string") && (!((typeof data32 == "number") && (isFinite(data32))))){
const err47 = {instancePath:instancePath+"/spec/minResources/cpu",schemaPath:"#/definitions/quantity/type",keyword:"type",params:{type: schema19.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
if(data31.memory !== undefined){
let data33 = data31.memory;
if((typeof data33 !== "string") && (!((typeof data33 == "number") && (isFinite(data33))))){
const err48 = {instancePath:instancePath+"/spec/minResources/memory",schemaPath:"#/definitions/quantity/type",keyword:"type",params:{type: schema19.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
}
else {
const err49 = {instancePath:instancePath+"/spec/minResources",schemaPath:"#/properties/spec/properties/minResources/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data7.maxResources !== undefined){
let data34 = data7.maxResources;
if(data34 && typeof data34 == "object" && !Array.isArray(data34)){
for(const key7 in data34){
if(!((key7 === "cpu") || (key7 === "memory"))){
const err50 = {instancePath:instancePath+"/spec/maxResources",schemaPath:"#/properties/spec/properties/maxResources/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
if(data34.cpu !== undefined){
let data35 = data34.cpu;
if((typeof data35 !== "string") && (!((typeof data35 == "number") && (isFinite(data35))))){
const err51 = {instancePath:instancePath+"/spec/maxResources/cpu",schemaPath:"#/definitions/quantity/type",keyword:"type",params:{type: schema19.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
if(data34.memory !== undefined){
let data36 = data34.memory;
if((typeof data36 !== "string") && (!((typeof data36 == "number") && (isFinite(data36))))){
const err52 = {instancePath:instancePath+"/spec/maxResources/memory",schemaPath:"#/definitions/quantity/type",keyword:"type",params:{type: schema19.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
}
else {
const err53 = {instancePath:instancePath+"/spec/maxResources",schemaPath:"#/properties/spec/properties/maxResources/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
if(data7.reconcileInterval !== undefined){
if(typeof data7.reconcileInterval !== "string"){
const err54 = {instancePath:instancePath+"/spec/reconcileInterval",schemaPath:"#/properties/spec/properties/reconcileInterval/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data7.defaultNodeGroup !== undefined){
if(typeof data7.defaultNodeGroup !== "string"){
const err55 = {instancePath:instancePath+"/spec/defaultNodeGroup",schemaPath:"#/properties/spec/properties/defaultNodeGroup/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
if(data7.remainder !== undefined){
if(typeof data7.remainder !== "boolean"){
const err56 = {instancePath:instancePath+"/spec/remainder",schemaPath:"#/properties/spec/properties/remainder/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
if(data7.nodeSelector !== undefined){
let data40 = data7.nodeSelector;
if(data40 && typeof data40 == "object" && !Array.isArray(data40)){
for(const key8 in data40){
if(typeof data40[key8] !== "string"){
const err57 = {instancePath:instancePath+"/spec/nodeSelector/" + key8.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/nodeSelector/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
}
else {
const err58 = {instancePath:instancePath+"/spec/nodeSelector",schemaPath:"#/properties/spec/properties/nodeSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data7.affinity !== undefined){
let data42 = data7.affinity;
if(data42 && typeof data42 == "object" && !Array.isArray(data42)){
for(const key9 in data42){
if(!(((key9 === "nodeAffinity") || (key9 === "podAffinity")) || (key9 === "podAntiAffinity"))){
const err59 = {instancePath:instancePath+"/spec/affinity",schemaPath:"#/properties/spec/properties/affinity/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
}
if(data42.nodeAffinity !== undefined){
let data43 = data42.nodeAffinity;
if(data43 && typeof data43 == "object" && !Array.isArray(data43)){
for(const key10 in data43){
if(!((key10 === "requiredDuringSchedulingIgnoredDuringExecution") || (key10 === "preferredDuringSchedulingIgnoredDuringExecution"))){
const err60 = {instancePath:instancePath+"/spec/affinity/nodeAffinity",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key10},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
if(data43.requiredDuringSchedulingIgnoredDuringExecution !== undefined){
let data44 = data43.requiredDuringSchedulingIgnoredDuringExecution;
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
if(data44.nodeSelectorTerms === undefined){
const err61 = {instancePath:instancePath+"/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/properties/requiredDuringSchedulingIgnoredDuringExecution/required",keyword:"required",params:{missingProperty: "nodeSelectorTerms"},message:"must have required property '"+"nodeSelectorTerms"+"'"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
for(const key11 in data44){
if(!(key11 === "nodeSelectorTerms")){
const err62 = {instancePath:instancePath+"/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/properties/requiredDuringSchedulingIgnoredDuringExecution/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
if(data44.nodeSelectorTerms !== undefined){
let data45 = data44.nodeSelectorTerms;
if(Array.isArray(data45)){
const len2 = data45.length;
for(let i2=0; i2<len2; i2++){
if(!(validate16(data45[i2], {instancePath:instancePath+"/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/" + i2,parentData:data45,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate16.errors : vErrors.concat(validate16.errors);
errors = vErrors.length;
}
}
}
else {
const err63 = {instancePath:instancePath+"/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/properties/requiredDuringSchedulingIgnoredDuringExecution/properties/nodeSelectorTerms/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
}
else {
const err64 = {instancePath:instancePath+"/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/properties/requiredDuringSchedulingIgnoredDuringExecution/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
if(data43.preferredDuringSchedulingIgnoredDuringExecution !== undefined){
let data47 = data43.preferredDuringSchedulingIgnoredDuringExecution;
if(Array.isArray(data47)){
const len3 = data47.length;
for(let i3=0; i3<len3; i3++){
let data48 = data47[i3];
if(!(data48 && typeof data48 == "object" && !Array.isArray(data48))){
const err65 = {instancePath:instancePath+"/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/" + i3,schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/properties/preferredDuringSchedulingIgnoredDuringExecution/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
}
else {
const err66 = {instancePath:instancePath+"/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/properties/preferredDuringSchedulingIgnoredDuringExecution/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
}
else {
const err67 = {instancePath:instancePath+"/spec/affinity/nodeAffinity",schemaPath:"#/properties/spec/properties/affinity/properties/nodeAffinity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
if(data42.podAffinity !== undefined){
let data49 = data42.podAffinity;
if(!(data49 && typeof data49 == "object" && !Array.isArray(data49))){
const err68 = {instancePath:instancePath+"/spec/affinity/podAffinity",schemaPath:"#/properties/spec/properties/affinity/properties/podAffinity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
if(data42.podAntiAffinity !== undefined){
let data50 = data42.podAntiAffinity;
if(!(data50 && typeof data50 == "object" && !Array.isArray(data50))){
const err69 = {instancePath:instancePath+"/spec/affinity/podAntiAffinity",schemaPath:"#/properties/spec/properties/affinity/properties/podAntiAffinity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
}
else {
const err70 = {instancePath:instancePath+"/spec/affinity",schemaPath:"#/properties/spec/properties/affinity/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
if(data7.tolerations !== undefined){
let data51 = data7.tolerations;
if(Array.isArray(data51)){
const len4 = data51.length;
for(let i4=0; i4<len4; i4++){
let data52 = data51[i4];
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
for(const key12 in data52){
if(!(((((key12 === "key") || (key12 === "operator")) || (key12 === "value")) || (key12 === "effect")) || (key12 === "tolerationSeconds"))){
const err71 = {instancePath:instancePath+"/spec/tolerations/" + i4,schemaPath:"#/properties/spec/properties/tolerations/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key12},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
if(data52.key !== undefined){
if(typeof data52.key !== "string"){
const err72 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/key",schemaPath:"#/properties/spec/properties/tolerations/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
if(data52.operator !== undefined){
let data54 = data52.operator;
if(typeof data54 !== "string"){
const err73 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/operator",schemaPath:"#/properties/spec/properties/tolerations/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
if(!((((data54 === "Equal") || (data54 === "Exists")) || (data54 === "Gt")) || (data54 === "Lt"))){
const err74 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/operator",schemaPath:"#/properties/spec/properties/tolerations/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.tolerations.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data52.value !== undefined){
if(typeof data52.value !== "string"){
const err75 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/value",schemaPath:"#/properties/spec/properties/tolerations/items/properties/value/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
}
if(data52.effect !== undefined){
let data56 = data52.effect;
if(typeof data56 !== "string"){
const err76 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/effect",schemaPath:"#/properties/spec/properties/tolerations/items/properties/effect/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
if(!(((data56 === "NoSchedule") || (data56 === "PreferNoSchedule")) || (data56 === "NoExecute"))){
const err77 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/effect",schemaPath:"#/properties/spec/properties/tolerations/items/properties/effect/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.tolerations.items.properties.effect.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
if(data52.tolerationSeconds !== undefined){
let data57 = data52.tolerationSeconds;
if(!(((typeof data57 == "number") && (!(data57 % 1) && !isNaN(data57))) && (isFinite(data57)))){
const err78 = {instancePath:instancePath+"/spec/tolerations/" + i4+"/tolerationSeconds",schemaPath:"#/properties/spec/properties/tolerations/items/properties/tolerationSeconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
}
else {
const err79 = {instancePath:instancePath+"/spec/tolerations/" + i4,schemaPath:"#/properties/spec/properties/tolerations/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
}
else {
const err80 = {instancePath:instancePath+"/spec/tolerations",schemaPath:"#/properties/spec/properties/tolerations/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
if(data7.containers !== undefined){
let data58 = data7.containers;
if(Array.isArray(data58)){
if(data58.length < 1){
const err81 = {instancePath:instancePath+"/spec/containers",schemaPath:"#/properties/spec/properties/containers/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
const len5 = data58.length;
for(let i5=0; i5<len5; i5++){
let data59 = data58[i5];
if(data59 && typeof data59 == "object" && !Array.isArray(data59)){
if(data59.name === undefined){
const err82 = {instancePath:instancePath+"/spec/containers/" + i5,schemaPath:"#/properties/spec/properties/containers/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
for(const key13 in data59){
if(!((key13 === "name") || (key13 === "share"))){
const err83 = {instancePath:instancePath+"/spec/containers/" + i5,schemaPath:"#/properties/spec/properties/containers/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
if(data59.name !== undefined){
if(typeof data59.name !== "string"){
const err84 = {instancePath:instancePath+"/spec/containers/" + i5+"/name",schemaPath:"#/properties/spec/properties/containers/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
if(data59.share !== undefined){
let data61 = data59.share;
if((typeof data61 == "number") && (isFinite(data61))){
if(data61 > 100 || isNaN(data61)){
const err85 = {instancePath:instancePath+"/spec/containers/" + i5+"/share",schemaPath:"#/properties/spec/properties/containers/items/properties/share/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100},message:"must be <= 100"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
if(data61 <= 0 || isNaN(data61)){
const err86 = {instancePath:instancePath+"/spec/containers/" + i5+"/share",schemaPath:"#/properties/spec/properties/containers/items/properties/share/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison: ">", limit: 0},message:"must be > 0"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
else {
const err87 = {instancePath:instancePath+"/spec/containers/" + i5+"/share",schemaPath:"#/properties/spec/properties/containers/items/properties/share/type",keyword:"type",params:{type: "number"},message:"must be number"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
}
else {
const err88 = {instancePath:instancePath+"/spec/containers/" + i5,schemaPath:"#/properties/spec/properties/containers/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
}
else {
const err89 = {instancePath:instancePath+"/spec/containers",schemaPath:"#/properties/spec/properties/containers/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
if(data7.env !== undefined){
let data62 = data7.env;
if(Array.isArray(data62)){
const len6 = data62.length;
for(let i6=0; i6<len6; i6++){
let data63 = data62[i6];
if(data63 && typeof data63 == "object" && !Array.isArray(data63)){
if(data63.name === undefined){
const err90 = {instancePath:instancePath+"/spec/env/" + i6,schemaPath:"#/properties/spec/properties/env/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
if(data63.from === undefined){
const err91 = {instancePath:instancePath+"/spec/env/" + i6,schemaPath:"#/properties/spec/properties/env/items/required",keyword:"required",params:{missingProperty: "from"},message:"must have required property '"+"from"+"'"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
for(const key14 in data63){
if(!((((((key14 === "container") || (key14 === "name")) || (key14 === "from")) || (key14 === "fraction")) || (key14 === "unit")) || (key14 === "suffix"))){
const err92 = {instancePath:instancePath+"/spec/env/" + i6,schemaPath:"#/properties/spec/properties/env/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
if(data63.container !== undefined){
if(typeof data63.container !== "string"){
const err93 = {instancePath:instancePath+"/spec/env/" + i6+"/container",schemaPath:"#/properties/spec/properties/env/items/properties/container/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
}
if(data63.name !== undefined){
if(typeof data63.name !== "string"){
const err94 = {instancePath:instancePath+"/spec/env/" + i6+"/name",schemaPath:"#/properties/spec/properties/env/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
if(data63.from !== undefined){
let data66 = data63.from;
if(typeof data66 !== "string"){
const err95 = {instancePath:instancePath+"/spec/env/" + i6+"/from",schemaPath:"#/properties/spec/properties/env/items/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
if(!((((data66 === "requests.cpu") || (data66 === "requests.memory")) || (data66 === "limits.cpu")) || (data66 === "limits.memory"))){
const err96 = {instancePath:instancePath+"/spec/env/" + i6+"/from",schemaPath:"#/properties/spec/properties/env/items/properties/from/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.env.items.properties.from.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
if(data63.fraction !== undefined){
let data67 = data63.fraction;
if((typeof data67 == "number") && (isFinite(data67))){
if(data67 > 1 || isNaN(data67)){
const err97 = {instancePath:instancePath+"/spec/env/" + i6+"/fraction",schemaPath:"#/properties/spec/properties/env/items/properties/fraction/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1},message:"must be <= 1"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
if(data67 <= 0 || isNaN(data67)){
const err98 = {instancePath:instancePath+"/spec/env/" + i6+"/fraction",schemaPath:"#/properties/spec/properties/env/items/properties/fraction/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison: ">", limit: 0},message:"must be > 0"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
else {
const err99 = {instancePath:instancePath+"/spec/env/" + i6+"/fraction",schemaPath:"#/properties/spec/properties/env/items/properties/fraction/type",keyword:"type",params:{type: "number"},message:"must be number"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
if(data63.unit !== undefined){
let data68 = data63.unit;
if(typeof data68 !== "string"){
const err100 = {instancePath:instancePath+"/spec/env/" + i6+"/unit",schemaPath:"#/properties/spec/properties/env/items/properties/unit/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
if(!(((((((((data68 === "B") || (data68 === "KiB")) || (data68 === "MiB")) || (data68 === "GiB")) || (data68 === "Ki")) || (data68 === "Mi")) || (data68 === "Gi")) || (data68 === "m")) || (data68 === "cores"))){
const err101 = {instancePath:instancePath+"/spec/env/" + i6+"/unit",schemaPath:"#/properties/spec/properties/env/items/properties/unit/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.env.items.properties.unit.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
if(data63.suffix !== undefined){
if(typeof data63.suffix !== "boolean"){
const err102 = {instancePath:instancePath+"/spec/env/" + i6+"/suffix",schemaPath:"#/properties/spec/properties/env/items/properties/suffix/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
}
else {
const err103 = {instancePath:instancePath+"/spec/env/" + i6,schemaPath:"#/properties/spec/properties/env/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
}
}
else {
const err104 = {instancePath:instancePath+"/spec/env",schemaPath:"#/properties/spec/properties/env/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
}
if(data7.overrides !== undefined){
let data70 = data7.overrides;
if(Array.isArray(data70)){
const len7 = data70.length;
for(let i7=0; i7<len7; i7++){
let data71 = data70[i7];
if(data71 && typeof data71 == "object" && !Array.isArray(data71)){
if(data71.groups === undefined){
const err105 = {instancePath:instancePath+"/spec/overrides/" + i7,schemaPath:"#/properties/spec/properties/overrides/items/required",keyword:"required",params:{missingProperty: "groups"},message:"must have required property '"+"groups"+"'"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
for(const key15 in data71){
if(!((((key15 === "groups") || (key15 === "resourcePercentages")) || (key15 === "minResources")) || (key15 === "maxResources"))){
const err106 = {instancePath:instancePath+"/spec/overrides/" + i7,schemaPath:"#/properties/spec/properties/overrides/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
}
if(data71.groups !== undefined){
let data72 = data71.groups;
if(Array.isArray(data72)){
if(data72.length < 1){
const err107 = {instancePath:instancePath+"/spec/overrides/" + i7+"/groups",schemaPath:"#/properties/spec/properties/overrides/items/properties/groups/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
const len8 = data72.length;
for(let i8=0; i8<len8; i8++){
if(typeof data72[i8] !== "string"){
const err108 = {instancePath:instancePath+"/spec/overrides/" + i7+"/groups/" + i8,schemaPath:"#/properties/spec/properties/overrides/items/properties/groups/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
}
}
else {
const err109 = {instancePath:instancePath+"/spec/overrides/" + i7+"/groups",schemaPath:"#/properties/spec/properties/overrides/items/properties/groups/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
}
if(data71.resourcePercentages !== undefined){
if(!(validate11(data71.resourcePercentages, {instancePath:instancePath+"/spec/overrides/" + i7+"/resourcePercentages",parentData:data71,parentDataProperty:"resourcePercentages",rootData}))){
vErrors = vErrors === null ? validate11.errors : vErrors.concat(validate11.errors);
errors = vErrors.length;
}
}
if(data71.minResources !== undefined){
if(!(validate13(data71.minResources, {instancePath:instancePath+"/spec/overrides/" + i7+"/minResources",parentData:data71,parentDataProperty:"minResources",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
if(data71.maxResources !== undefined){
if(!(validate13(data71.maxResources, {instancePath:instancePath+"/spec/overrides/" + i7+"/maxResources",parentData:data71,parentDataProperty:"maxResources",rootData}))){
vErrors = vErrors === null ? validate13.errors : vErrors.concat(validate13.errors);
errors = vErrors.length;
}
}
}
else {
const err110 = {instancePath:instancePath+"/spec/overrides/" + i7,schemaPath:"#/properties/spec/properties/overrides/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
}
else {
const err111 = {instancePath:instancePath+"/spec/overrides",schemaPath:"#/properties/spec/properties/overrides/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
}
if(data7.names !== undefined){
let data77 = data7.names;
if(data77 && typeof data77 == "object" && !Array.isArray(data77)){
for(const key16 in data77){
if(typeof data77[key16] !== "string"){
const err112 = {instancePath:instancePath+"/spec/names/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/names/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
}
}
else {
const err113 = {instancePath:instancePath+"/spec/names",schemaPath:"#/properties/spec/properties/names/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
if(data7.labels !== undefined){
let data79 = data7.labels;
if(data79 && typeof data79 == "object" && !Array.isArray(data79)){
for(const key17 in data79){
if(!((key17 === "managedBy") || (key17 === "nodeGroup"))){
const err114 = {instancePath:instancePath+"/spec/labels",schemaPath:"#/properties/spec/properties/labels/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
if(data79.managedBy !== undefined){
if(typeof data79.managedBy !== "string"){
const err115 = {instancePath:instancePath+"/spec/labels/managedBy",schemaPath:"#/properties/spec/properties/labels/properties/managedBy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
}
if(data79.nodeGroup !== undefined){
if(typeof data79.nodeGroup !== "string"){
const err116 = {instancePath:instancePath+"/spec/labels/nodeGroup",schemaPath:"#/properties/spec/properties/labels/properties/nodeGroup/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
}
else {
const err117 = {instancePath:instancePath+"/spec/labels",schemaPath:"#/properties/spec/properties/labels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
if(data7.goMemLimitPercentage !== undefined){
let data82 = data7.goMemLimitPercentage;
if(!((typeof data82 == "number") && (isFinite(data82)))){
const err118 = {instancePath:instancePath+"/spec/goMemLimitPercentage",schemaPath:"#/properties/spec/properties/goMemLimitPercentage/type",keyword:"type",params:{type: "number"},message:"must be number"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
}
if(data7.seLinuxType !== undefined){
if(typeof data7.seLinuxType !== "string"){
const err119 = {instancePath:instancePath+"/spec/seLinuxType",schemaPath:"#/properties/spec/properties/seLinuxType/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
if(data7.bottlerocketAutoDetect !== undefined){
if(typeof data7.bottlerocketAutoDetect !== "boolean"){
const err120 = {instancePath:instancePath+"/spec/bottlerocketAutoDetect",schemaPath:"#/properties/spec/properties/bottlerocketAutoDetect/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
if(data7.formerNames !== undefined){
let data85 = data7.formerNames;
if(Array.isArray(data85)){
const len9 = data85.length;
for(let i9=0; i9<len9; i9++){
if(typeof data85[i9] !== "string"){
const err121 = {instancePath:instancePath+"/spec/formerNames/" + i9,schemaPath:"#/properties/spec/properties/formerNames/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
}
}
else {
const err122 = {instancePath:instancePath+"/spec/formerNames",schemaPath:"#/properties/spec/properties/formerNames/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
}
if(data7.basis !== undefined){
let data87 = data7.basis;
if(typeof data87 !== "string"){
const err123 = {instancePath:instancePath+"/spec/basis",schemaPath:"#/properties/spec/properties/basis/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
if(!((data87 === "smallest") || (data87 === "median"))){
const err124 = {instancePath:instancePath+"/spec/basis",schemaPath:"#/properties/spec/properties/basis/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.basis.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
}
if(data7.step !== undefined){
let data88 = data7.step;
if(!(data88 && typeof data88 == "object" && !Array.isArray(data88))){
const err125 = {instancePath:instancePath+"/spec/step",schemaPath:"#/properties/spec/properties/step/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
}
if(data7.hysteresisPercent !== undefined){
let data89 = data7.hysteresisPercent;
if(!((typeof data89 == "number") && (isFinite(data89)))){
const err126 = {instancePath:instancePath+"/spec/hysteresisPercent",schemaPath:"#/properties/spec/properties/hysteresisPercent/type",keyword:"type",params:{type: "number"},message:"must be number"};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
if(data7.classes !== undefined){
let data90 = data7.classes;
if(!(data90 && typeof data90 == "object" && !Array.isArray(data90))){
const err127 = {instancePath:instancePath+"/spec/classes",schemaPath:"#/properties/spec/properties/classes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
}
else {
const err128 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
}
}
else {
const err129 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}

export const validateNodeInventory = validate21;
const schema32 = {"$schema":"http://json-schema.org/draft-07/schema#","title":"NodeInventory","description":"A snapshot of a cluster's nodes. Nodes alike in all that a policy can see are one shape.","type":"object","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","enum":["nodefit.dev/v1alpha1"],"title":"API version","description":"The version of this resource."},"kind":{"type":"string","enum":["NodeInventory"],"title":"Kind","description":"The kind of this resource."},"metadata":{"type":"object","title":"Metadata","description":"Kubernetes object metadata.","required":["name"],"properties":{"name":{"type":"string","title":"Name","description":"Name of the inventory."}}},"spec":{"type":"object","title":"Specification","description":"The nodes.","required":["cluster","labelKeys","nodeCount","shapes"],"properties":{"cluster":{"type":"string","title":"Cluster","description":"The cluster the nodes belong to.","examples":["prod-eu"]},"observedAt":{"type":"string","title":"Observed at","description":"When the nodes were read, RFC 3339. The newest one is \"now\".","examples":["2026-11-20T12:00:00Z"]},"labelKeys":{"type":"array","items":{"type":"string"},"title":"Label keys","description":"Which label keys were exported; * stands for any characters. A key that none of them covers is not known to be absent.","examples":[["kubernetes.io/os","node.kubernetes.io/*"]]},"nodeCount":{"type":"integer","minimum":0,"title":"Node count","description":"How many nodes the shapes name; another number means that the inventory was cut.","examples":[2]},"shapes":{"type":"array","title":"Shapes","description":"The kinds of node there are.","items":{"type":"object","required":["nodes"],"properties":{"labels":{"type":["object","null"],"additionalProperties":{"type":"string"},"title":"Labels","description":"The exported labels.","examples":[{"kubernetes.io/os":"linux"}]},"taints":{"type":["array","null"],"items":{"type":"object","required":["key","effect"],"properties":{"key":{"type":"string"},"value":{"type":"string"},"effect":{"type":"string"}}},"title":"Taints","description":"As in v1 Node.","examples":[[{"key":"dedicated","value":"gpu","effect":"NoSchedule"}]]},"ready":{"type":"string","title":"Ready","description":"Status of the Ready condition; absent: the node has none.","examples":["True"]},"unschedulable":{"type":"boolean","title":"Unschedulable","description":"Whether the nodes are cordoned.","default":false,"examples":[true]},"osImage":{"type":"string","title":"OS image","description":"status.nodeInfo.osImage.","examples":["Amazon Linux 2023"]},"capacity":{"$ref":"#/definitions/resources","title":"Capacity","description":"status.capacity.","examples":[{"cpu":"2"}]},"allocatable":{"$ref":"#/definitions/resources","title":"Allocatable","description":"status.allocatable.","examples":[{"cpu":"1930m","memory":"7134856Ki"}]},"nodes":{"type":"array","items":{"type":"string"},"title":"Nodes","description":"Names of the nodes. Empty: a declared node type, whose group is rendered before its first node comes.","examples":[["ip-10-0-1-17.ec2.internal"]]},"uids":{"type":"object","additionalProperties":{"type":"string"},"title":"UIDs","description":"UIDs by node name, only with --uid.","examples":[{"ip-10-0-1-17.ec2.internal":"9c0e"}]}}}}}}},"definitions":{"resources":{"type":["object","null"],"additionalProperties":{"type":["string","number"]}}}};
const schema33 = {"type":["object","null"],"additionalProperties":{"type":["string","number"]}};

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(!(data0 === "nodefit.dev/v1alpha1")){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/enum",keyword:"enum",params:{allowedValues: schema32.properties.apiVersion.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err6 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(!(data1 === "NodeInventory")){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema32.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.name === undefined){
const err8 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
if(data2.name !== undefined){
if(typeof data2.name !== "string"){
const err9 = {instancePath:instancePath+"/metadata/name",schemaPath:"#/properties/metadata/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
else {
const err10 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data.spec !== undefined){
let data4 = data.spec;
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(data4.cluster === undefined){
const err11 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "cluster"},message:"must have required property '"+"cluster"+"'"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(data4.labelKeys === undefined){
const err12 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "labelKeys"},message:"must have required property '"+"labelKeys"+"'"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
if(data4.nodeCount === undefined){
const err13 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "nodeCount"},message:"must have required property '"+"nodeCount"+"'"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
if(data4.shapes === undefined){
const err14 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "shapes"},message:"must have required property '"+"shapes"+"'"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data4.cluster !== undefined){
if(typeof data4.cluster !== "string"){
const err15 = {instancePath:instancePath+"/spec/cluster",schemaPath:"#/properties/spec/properties/cluster/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
if(data4.observedAt !== undefined){
if(typeof data4.observedAt !== "string"){
const err16 = {instancePath:instancePath+"/spec/observedAt",schemaPath:"#/properties/spec/properties/observedAt/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data4.labelKeys !== undefined){
let data7 = data4.labelKeys;
if(Array.isArray(data7)){
const len0 = data7.length;
for(let i0=0; i0<len0; i0++){
if(typeof data7[i0] !== "string"){
const err17 = {instancePath:instancePath+"/spec/labelKeys/" + i0,schemaPath:"#/properties/spec/properties/labelKeys/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
}
else {
const err18 = {instancePath:instancePath+"/spec/labelKeys",schemaPath:"#/properties/spec/properties/labelKeys/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
}
if(data4.nodeCount !== undefined){
let data9 = data4.nodeCount;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
const err19 = {instancePath:instancePath+"/spec/nodeCount",schemaPath:"#/properties/spec/properties/nodeCount/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 < 0 || isNaN(data9)){
const err20 = {instancePath:instancePath+"/spec/nodeCount",schemaPath:"#/properties/spec/properties/nodeCount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
if(data4.shapes !== undefined){
let data10 = data4.shapes;
if(Array.isArray(data10)){
const len1 = data10.length;
for(let i1=0; i1<len1; i1++){
let data11 = data10[i1];
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
if(data11.nodes === undefined){
const err21 = {instancePath:instancePath+"/spec/shapes/" + i1,schemaPath:"#/properties/spec/properties/shapes/items/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(data11.labels !== undefined){
let data12 = data11.labels;
if((!(data12 && typeof data12 == "object" && !Array.isArray(data12))) && (data12 !== null)){
const err22 = {instancePath:instancePath+"/spec/shapes/" + i1+"/labels",schemaPath:"#/properties/spec/properties/shapes/items/properties/labels/type",keyword:"type",params:{type: schema32.properties.spec.properties.shapes.items.properties.labels.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
for(const key0 in data12){
if(typeof data12[key0] !== "string"){
const err23 = {instancePath:instancePath+"/spec/shapes/" + i1+"/labels/" + key0.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/shapes/items/properties/labels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
}
if(data11.taints !== undefined){
let data14 = data11.taints;
if((!(Array.isArray(data14))) && (data14 !== null)){
const err24 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints",schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/type",keyword:"type",params:{type: schema32.properties.spec.properties.shapes.items.properties.taints.type},message:"must be array,null"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
if(Array.isArray(data14)){
const len2 = data14.length;
for(let i2=0; i2<len2; i2++){
let data15 = data14[i2];
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.key === undefined){
const err25 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints/" + i2,schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
if(data15.effect === undefined){
const err26 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints/" + i2,schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/items/required",keyword:"required",params:{missingProperty: "effect"},message:"must have required property '"+"effect"+"'"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(data15.key !== undefined){
if(typeof data15.key !== "string"){
const err27 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints/" + i2+"/key",schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data15.value !== undefined){
if(typeof data15.value !== "string"){
const err28 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints/" + i2+"/value",schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/items/properties/value/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data15.effect !== undefined){
if(typeof data15.effect !== "string"){
const err29 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints/" + i2+"/effect",schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/items/properties/effect/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath:instancePath+"/spec/shapes/" + i1+"/taints/" + i2,schemaPath:"#/properties/spec/properties/shapes/items/properties/taints/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
}
if(data11.ready !== undefined){
if(typeof data11.ready !== "string"){
const err31 = {instancePath:instancePath+"/spec/shapes/" + i1+"/ready",schemaPath:"#/properties/spec/properties/shapes/items/properties/ready/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
if(data11.unschedulable !== undefined){
if(typeof data11.unschedulable !== "boolean"){
const err32 = {instancePath:instancePath+"/spec/shapes/" + i1+"/unschedulable",schemaPath:"#/properties/spec/properties/shapes/items/properties/unschedulable/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data11.osImage !== undefined){
if(typeof data11.osImage !== "string"){
const err33 = {instancePath:instancePath+"/spec/shapes/" + i1+"/osImage",schemaPath:"#/properties/spec/properties/shapes/items/properties/osImage/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
if(data11.capacity !== undefined){
let data22 = data11.capacity;
if((!(data22 && typeof data22 == "object" && !Array.isArray(data22))) && (data22 !== null)){
const err34 = {instancePath:instancePath+"/spec/shapes/" + i1+"/capacity",schemaPath:"#/definitions/resources/type",keyword:"type",params:{type: schema33.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
for(const key1 in data22){
let data23 = data22[key1];
if((typeof data23 !== "string") && (!((typeof data23 == "number") && (isFinite(data23))))){
const err35 = {instancePath:instancePath+"/spec/shapes/" + i1+"/capacity/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/resources/additionalProperties/type",keyword:"type",params:{type: schema33.additionalProperties.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
}
}
if(data11.allocatable !== undefined){
let data24 = data11.allocatable;
if((!(data24 && typeof data24 == "object" && !Array.isArray(data24))) && (data24 !== null)){
const err36 = {instancePath:instancePath+"/spec/shapes/" + i1+"/allocatable",schemaPath:"#/definitions/resources/type",keyword:"type",params:{type: schema33.type},message:"must be object,null"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
if(data24 && typeof data24 == "object" && !Array.isArray(data24)){
for(const key2 in data24){
let data25 = data24[key2];
if((typeof data25 !== "string") && (!((typeof data25 == "number") && (isFinite(data25))))){
const err37 = {instancePath:instancePath+"/spec/shapes/" + i1+"/allocatable/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/definitions/resources/additionalProperties/type",keyword:"type",params:{type: schema33.additionalProperties.type},message:"must be string,number"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
}
}
if(data11.nodes !== undefined){
let data26 = data11.nodes;
if(Array.isArray(data26)){
const len3 = data26.length;
for(let i3=0; i3<len3; i3++){
if(typeof data26[i3] !== "string"){
const err38 = {instancePath:instancePath+"/spec/shapes/" + i1+"/nodes/" + i3,schemaPath:"#/properties/spec/properties/shapes/items/properties/nodes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
}
else {
const err39 = {instancePath:instancePath+"/spec/shapes/" + i1+"/nodes",schemaPath:"#/properties/spec/properties/shapes/items/properties/nodes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data11.uids !== undefined){
let data28 = data11.uids;
if(data28 && typeof data28 == "object" && !Array.isArray(data28)){
for(const key3 in data28){
if(typeof data28[key3] !== "string"){
const err40 = {instancePath:instancePath+"/spec/shapes/" + i1+"/uids/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/shapes/items/properties/uids/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
}
else {
const err41 = {instancePath:instancePath+"/spec/shapes/" + i1+"/uids",schemaPath:"#/properties/spec/properties/shapes/items/properties/uids/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
}
else {
const err42 = {instancePath:instancePath+"/spec/shapes/" + i1,schemaPath:"#/properties/spec/properties/shapes/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
}
else {
const err43 = {instancePath:instancePath+"/spec/shapes",schemaPath:"#/properties/spec/properties/shapes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
}
else {
const err44 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
}
else {
const err45 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
validate21.errors = vErrors;
return errors === 0;
}

export const validateRenderConfig = validate22;
const schema35 = {"$schema":"http://json-schema.org/draft-07/schema#","title":"RenderConfig","description":"Options of a run.","type":"object","required":["apiVersion","kind","metadata"],"additionalProperties":false,"properties":{"apiVersion":{"type":"string","enum":["nodefit.dev/v1alpha1"],"title":"API version","description":"The version of this resource."},"kind":{"type":"string","enum":["RenderConfig"],"title":"Kind","description":"The kind of this resource."},"metadata":{"type":"object","title":"Metadata","description":"Kubernetes object metadata."},"spec":{"type":"object","title":"Specification","description":"The options.","additionalProperties":false,"properties":{"cluster":{"type":"string","title":"Cluster","description":"The cluster this run is for; an inventory of another one fails.","examples":["prod-eu"]},"now":{"type":"string","title":"Now","description":"The time of the run, RFC 3339, instead of the newest observedAt.","examples":["2026-11-20T12:00:00Z"],"x-not-built":true},"allow":{"type":"array","items":{"type":"string"},"title":"Allow","description":"Codes that fail closed and are accepted in this run.","examples":[["OrphanedOutput"]]},"severity":{"type":"array","title":"Severities","description":"Other severities for codes that do not fail.","examples":[[{"code":"InstanceLabelCopied","as":"off","reason":"annotation tracking"}]],"items":{"type":"object","required":["code","as"],"additionalProperties":false,"properties":{"code":{"type":"string","title":"Code","description":"The code.","examples":["InstanceLabelCopied"]},"as":{"type":"string","enum":["error","warning","info","off"],"title":"Severity","description":"Its severity.","examples":["off"]},"reason":{"type":"string","title":"Reason","description":"Why, for the next reader.","examples":["annotation tracking"]}}}},"failOn":{"type":"string","enum":["error","warning"],"title":"Fail on","description":"The least severity that fails the run.","default":"error","examples":["warning"]},"guards":{"type":"object","title":"Guards","description":"How much a render may take away.","examples":[{"maxShrinkPercent":50}],"x-not-built":true},"korder":{"type":"object","title":"korder","description":"How Orders and Tickets are written.","examples":[{"dialect":"duration"}],"x-not-built":true},"autoscaler":{"type":"object","title":"Autoscaler","description":"Which node autoscaler the cluster runs.","examples":[{"kind":"karpenter"}],"x-not-built":true},"kubernetes":{"type":"object","title":"Kubernetes","description":"Which Kubernetes the cluster runs.","examples":[{"version":"1.34"}],"x-not-built":true},"output":{"type":"object","title":"Output","description":"Where new objects go.","examples":[{"path":"rendered.yaml"}],"x-not-built":true}}}}};

function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
for(const key0 in data){
if(!((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "spec"))){
const err3 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err4 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
if(!(data0 === "nodefit.dev/v1alpha1")){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/enum",keyword:"enum",params:{allowedValues: schema35.properties.apiVersion.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err6 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(!(data1 === "RenderConfig")){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/enum",keyword:"enum",params:{allowedValues: schema35.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
const err8 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
if(data.spec !== undefined){
let data3 = data.spec;
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key1 in data3){
if(!(func2.call(schema35.properties.spec.properties, key1))){
const err9 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
if(data3.cluster !== undefined){
if(typeof data3.cluster !== "string"){
const err10 = {instancePath:instancePath+"/spec/cluster",schemaPath:"#/properties/spec/properties/cluster/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
}
if(data3.now !== undefined){
if(typeof data3.now !== "string"){
const err11 = {instancePath:instancePath+"/spec/now",schemaPath:"#/properties/spec/properties/now/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
}
if(data3.allow !== undefined){
let data6 = data3.allow;
if(Array.isArray(data6)){
const len0 = data6.length;
for(let i0=0; i0<len0; i0++){
if(typeof data6[i0] !== "string"){
const err12 = {instancePath:instancePath+"/spec/allow/" + i0,schemaPath:"#/properties/spec/properties/allow/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
else {
const err13 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
if(data3.severity !== undefined){
let data8 = data3.severity;
if(Array.isArray(data8)){
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
let data9 = data8[i1];
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
if(data9.code === undefined){
const err14 = {instancePath:instancePath+"/spec/severity/" + i1,schemaPath:"#/properties/spec/properties/severity/items/required",keyword:"required",params:{missingProperty: "code"},message:"must have required property '"+"code"+"'"};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
if(data9.as === undefined){
const err15 = {instancePath:instancePath+"/spec/severity/" + i1,schemaPath:"#/properties/spec/properties/severity/items/required",keyword:"required",params:{missingProperty: "as"},message:"must have required property '"+"as"+"'"};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
for(const key2 in data9){
if(!(((key2 === "code") || (key2 === "as")) || (key2 === "reason"))){
const err16 = {instancePath:instancePath+"/spec/severity/" + i1,schemaPath:"#/properties/spec/properties/severity/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
if(data9.code !== undefined){
if(typeof data9.code !== "string"){
const err17 = {instancePath:instancePath+"/spec/severity/" + i1+"/code",schemaPath:"#/properties/spec/properties/severity/items/properties/code/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
if(data9.as !== undefined){
let data11 = data9.as;
if(typeof data11 !== "string"){
const err18 = {instancePath:instancePath+"/spec/severity/" + i1+"/as",schemaPath:"#/properties/spec/properties/severity/items/properties/as/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
if(!((((data11 === "error") || (data11 === "warning")) || (data11 === "info")) || (data11 === "off"))){
const err19 = {instancePath:instancePath+"/spec/severity/" + i1+"/as",schemaPath:"#/properties/spec/properties/severity/items/properties/as/enum",keyword:"enum",params:{allowedValues: schema35.properties.spec.properties.severity.items.properties.as.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
if(data9.reason !== undefined){
if(typeof data9.reason !== "string"){
const err20 = {instancePath:instancePath+"/spec/severity/" + i1+"/reason",schemaPath:"#/properties/spec/properties/severity/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
}
else {
const err21 = {instancePath:instancePath+"/spec/severity/" + i1,schemaPath:"#/properties/spec/properties/severity/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
else {
const err22 = {instancePath:instancePath+"/spec/severity",schemaPath:"#/properties/spec/properties/severity/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data3.failOn !== undefined){
let data13 = data3.failOn;
if(typeof data13 !== "string"){
const err23 = {instancePath:instancePath+"/spec/failOn",schemaPath:"#/properties/spec/properties/failOn/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(!((data13 === "error") || (data13 === "warning"))){
const err24 = {instancePath:instancePath+"/spec/failOn",schemaPath:"#/properties/spec/properties/failOn/enum",keyword:"enum",params:{allowedValues: schema35.properties.spec.properties.failOn.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
if(data3.guards !== undefined){
let data14 = data3.guards;
if(!(data14 && typeof data14 == "object" && !Array.isArray(data14))){
const err25 = {instancePath:instancePath+"/spec/guards",schemaPath:"#/properties/spec/properties/guards/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data3.korder !== undefined){
let data15 = data3.korder;
if(!(data15 && typeof data15 == "object" && !Array.isArray(data15))){
const err26 = {instancePath:instancePath+"/spec/korder",schemaPath:"#/properties/spec/properties/korder/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
}
if(data3.autoscaler !== undefined){
let data16 = data3.autoscaler;
if(!(data16 && typeof data16 == "object" && !Array.isArray(data16))){
const err27 = {instancePath:instancePath+"/spec/autoscaler",schemaPath:"#/properties/spec/properties/autoscaler/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
}
if(data3.kubernetes !== undefined){
let data17 = data3.kubernetes;
if(!(data17 && typeof data17 == "object" && !Array.isArray(data17))){
const err28 = {instancePath:instancePath+"/spec/kubernetes",schemaPath:"#/properties/spec/properties/kubernetes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data3.output !== undefined){
let data18 = data3.output;
if(!(data18 && typeof data18 == "object" && !Array.isArray(data18))){
const err29 = {instancePath:instancePath+"/spec/output",schemaPath:"#/properties/spec/properties/output/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
}
else {
const err31 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
validate22.errors = vErrors;
return errors === 0;
}


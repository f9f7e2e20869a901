export type { CodeDefinition, Severity } from './definition.ts'
export { CODES, type Code, definitionOf, type Finding, finding, isCode, listNames, type Subject } from './finding.ts'

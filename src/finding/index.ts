export { type CodeDefinition, type Codes, codesAbout, type Severity } from './definition.ts'
export { about, type Finding, findingOf, isError, type Place, prefixed, type Read, type Subject } from './finding.ts'
export { listNames, plural } from './words.ts'

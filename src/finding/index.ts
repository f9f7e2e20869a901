export { type CodeDefinition, type CodeRole, type Codes, codesAbout, type Severity } from './definition.ts'
export {
  type Finding,
  findingOf,
  hasRole,
  isError,
  type Place,
  type Read,
  type Subject,
  withPrefix,
  withSubject,
} from './finding.ts'
export { listNames, plural } from './words.ts'

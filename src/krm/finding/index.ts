export {
  type CodeDefinition,
  type CodeRole,
  type Codes,
  codesAbout,
  type Finding,
  findingOf,
  hasRole,
  isError,
  listNames,
  type Place,
  plural,
  type Read,
  type Severity,
  type Subject,
  withPrefix,
  withSubject,
} from './finding.ts'
export { BY_HARM, byHarm } from './harm.ts'

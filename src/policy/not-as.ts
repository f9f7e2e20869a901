import type { Finding, Subject } from '../finding/index.ts'
import { finding } from './codes.ts'

/** A field's value that is not what is wanted there. */
export function invalidValue(subject: Subject, path: string, value: string, wanted: string): Finding {
  return finding('InvalidField', `${subject.metadata.name}: ${path} "${value}" is not ${wanted}`, {
    subject,
    field: { path, currentValue: value },
  })
}

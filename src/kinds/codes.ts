import { codesAbout, type Finding, findingOf, type Subject } from '../krm/finding.ts'

/** Codes about fields, rules and the options of a run. */
export const POLICY_CODES = {
  ...codesAbout('Policies', {
    UnknownField: {
      severity: 'error',
      meaning: 'A field or flat key that is not in the schema.',
      mend: 'Correct the name, or remove it.',
    },
    InvalidField: {
      severity: 'error',
      meaning: 'A field is missing, has the wrong type, or a value that is not allowed.',
      mend: 'Write an allowed value.',
    },
    FieldWithoutEffect: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'A key of another tool’s configuration is accepted, so that its whole block can be pasted in, without effect.',
      mend: '',
    },
    NotBuilt: {
      severity: 'error',
      meaning: 'This version of nodefit does not implement the resource or field yet.',
      mend: 'Remove it.',
    },
    PercentageOutOfRange: {
      severity: 'error',
      meaning: 'A percentage is not above 0 and at most 100.',
      mend: 'Write such a number, or none to leave the resource unset.',
    },
    RequestAboveLimit: {
      severity: 'error',
      meaning: 'A request percentage is above the limit percentage of its resource.',
      mend: 'Raise the limit percentage or lower the request percentage.',
    },
    MinAboveMax: {
      severity: 'error',
      meaning: 'A minimum is above its maximum, or a request’s minimum above its limit’s maximum.',
      mend: 'Lower minResources or raise maxResources.',
    },
    MemoryInThousandths: {
      severity: 'warning',
      meaning: 'A bound of memory ends in m, thousandths of a byte: it has no effect, or takes all memory away.',
      mend: 'Write M or Mi.',
    },
    BoundInvalid: {
      severity: 'error',
      meaning: 'A bound is not a quantity, or is negative.',
      mend: 'Write a Kubernetes quantity such as 100m, 2, 180Mi or 4Gi.',
    },
    StepInvalid: {
      severity: 'error',
      meaning: 'A rounding step is not a positive quantity of whole millicores or bytes.',
      mend: 'Write a Kubernetes quantity such as 10m or 16Mi.',
    },
    FractionOutOfRange: {
      severity: 'error',
      meaning: 'The fraction goMemLimitPercentage is not above 0 and at most 1.',
      mend: 'Write a fraction such as 0.8.',
    },
    NoHeadroom: {
      severity: 'warning',
      meaning:
        'GOMEMLIMIT equals the memory limit: memory outside the Go heap (cgo, mapped files) pushes the container over it.',
      mend: 'Write a fraction such as 0.8.',
    },
  }),
  ...codesAbout('Nodes and inventory', {
    InventoryFieldUnknown: {
      severity: 'warning',
      meaning: 'An inventory has a field that this version of nodefit does not know.',
      mend: 'Use the version of nodefit that wrote it, or remove the field.',
    },
  }),
}

export const finding = findingOf(POLICY_CODES)

/** Reports a field whose value is not of the wanted kind, such as `a label key`. */
export function invalidValue(subject: Subject, path: string, value: string, wanted: string): Finding {
  return refusedValue(subject, path, value, `is not ${wanted}`)
}

/** Reports a field whose value is refused; `problem` says why, in words that follow the value. */
export function refusedValue(subject: Subject, path: string, value: string, problem: string): Finding {
  return finding('InvalidField', `${subject.metadata.name}: ${path} "${value}" ${problem}`, {
    subject,
    field: { path, currentValue: value },
  })
}

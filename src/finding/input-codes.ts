import type { CodeDefinition } from './definition.ts'

/** Codes about what the function was given. */
export const INPUT_CODES = {
  UnknownFunctionConfig: {
    severity: 'error',
    meaning: 'The functionConfig is of a kind that nodefit does not take.',
    mend: 'Give a SizingPolicy, a RenderConfig, or a ConfigMap with the flat keys of a SizingPolicy.',
  },
  UnknownKind: {
    severity: 'error',
    meaning: 'A resource of the group nodefit.dev has a kind or version that this nodefit does not know.',
    mend: 'Use SizingPolicy, NodeInventory or RenderConfig of nodefit.dev/v1alpha1.',
  },
  NotBuilt: {
    severity: 'error',
    meaning:
      'The resource or field is part of the schema, but this version of nodefit does not act on it yet. It is refused, since ignoring it would render something else than was asked for.',
    mend: 'Remove it.',
  },
  UnknownField: {
    severity: 'error',
    meaning: 'A field or flat key that is not in the schema.',
    mend: 'Correct the name, or remove it.',
  },
  FieldWithoutEffect: {
    severity: 'info',
    meaning:
      'A key of another tool’s configuration that is taken, so that the whole can be pasted in, and changes nothing.',
    mend: '',
  },
  InvalidField: {
    severity: 'error',
    meaning: 'A field is missing, has the wrong type, or a value that is not allowed.',
    mend: 'Write an allowed value.',
  },
  TwoRenderConfigs: {
    severity: 'error',
    meaning: 'A package holds more than one RenderConfig.',
    mend: 'Keep one.',
  },
  DuplicatePolicy: {
    severity: 'error',
    meaning:
      'Two policies of a package have the same name and namespace, or one lists the other’s name among its former names. Each would take the other’s output for its own.',
    mend: 'Give each policy a name of its own.',
  },
  SelectorsInUse: {
    severity: 'error',
    allowable: true,
    meaning:
      'The Kptfile gives the function a selection of the package, so nodefit cannot see its own earlier output and would duplicate it.',
    mend: 'Remove selectors and exclude from the function in the Kptfile.',
  },
  NoPolicy: {
    severity: 'info',
    meaning: 'There is no policy in scope, so there is nothing to render.',
    mend: 'Add a SizingPolicy to the package.',
  },
} as const satisfies Record<string, CodeDefinition>

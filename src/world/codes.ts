import { codesAbout, findingOf } from '../finding/index.ts'
import { INVENTORY_CODES } from '../inventory/codes.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { NODEFIT, OWN_KINDS } from '../policy/index.ts'

/** Codes about what the function was given. */
export const WORLD_CODES = codesAbout('Input and package', {
  UnknownFunctionConfig: {
    severity: 'error',
    meaning: 'The functionConfig is of a kind that nodefit does not take.',
    mend: 'Give a SizingPolicy, a RenderConfig, or a ConfigMap with the flat keys of a SizingPolicy.',
  },
  UseTransformers: {
    severity: 'error',
    meaning:
      'The function sees no resources: kustomize runs it as a generator, or as a transformer of a kustomization without any.',
    mend: 'List the policy under transformers in kustomization.yaml, and under resources with inventory and template: docs/kustomize.md.',
  },
  UnknownKind: {
    severity: 'error',
    meaning:
      'A resource of the group nodefit.dev, or of one that is nearly written so, has a kind or version that this nodefit does not know; or an Order that is nearly one of korder has such a version.',
    mend: `Use a kind of ${NODEFIT}: ${OWN_KINDS.join(', ')}.`,
  },
  TwoRenderConfigs: {
    severity: 'error',
    meaning: 'A package holds more than one RenderConfig.',
    mend: 'Keep one.',
  },
  DuplicatePolicy: {
    severity: 'error',
    meaning:
      'Two policies or Orders of a package have the same name and namespace, or a policy lists the name of another among its former names. Each would take the other’s output for its own.',
    mend: 'Give each a name of its own.',
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
    meaning:
      'There is no policy and no Order in DaemonSet mode in scope, so there is nothing to render. A plain Order passes through.',
    mend: 'Add a SizingPolicy to the package.',
  },
  NoTime: {
    severity: 'error',
    meaning: 'A schedule or a rollout goes by the time, and nothing says what time it is: a render has no clock.',
    mend: 'Give the NodeInventory an observedAt, or set spec.now of a RenderConfig.',
  },
  NeedsEarlierOutput: {
    severity: 'error',
    allowable: true,
    meaning: 'A field can only be followed with what was rendered before, which is not in the input.',
    mend: 'Render in place with kpt, give nodefit build --earlier DIR, or remove the field.',
  },
})

export const finding = findingOf(POLICY_CODES, INVENTORY_CODES, WORLD_CODES)

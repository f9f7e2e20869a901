import { type Codes, findingOf } from '../finding/index.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes about what must hold of everything that was planned. */
export const PROOF_CODES = {
  PolicyOverlap: {
    severity: 'error',
    meaning:
      'Two policies size the same target on the same node, or their remainders would on one that may come; it would get two agents.',
    mend: 'Make their nodeSelector or affinity exclude each other.',
  },
  OutputUnreadable: {
    severity: 'error',
    allowable: true,
    meaning:
      'An object that nodefit rendered was edited so that nobody can tell on which nodes its pods run; it may be on those of the policy that is rendered now.',
    mend: 'Undo the edit, or remove the object: the run that rendered it makes it anew.',
  },
  GuardTripped: {
    severity: 'error',
    allowable: true,
    meaning:
      'A run would take away more of what was rendered before than its guards allow; an inventory may be cut or of another cluster.',
    mend: 'Check the inventory; raise the guard in spec.guards of a RenderConfig, or allow GuardTripped for this run.',
  },
  OutputOfOtherCluster: {
    severity: 'error',
    allowable: true,
    meaning:
      'What was rendered before was rendered for the nodes of another cluster than those that are in the package now: an inventory was put into the wrong package.',
    mend: 'Put the inventory of its own cluster back; allow OutputOfOtherCluster for one run where the cluster was renamed or replaced.',
  },
  GuardsNotChecked: {
    severity: 'info',
    meaning: 'The host does not give what was rendered before, so the guards could not be held against it.',
    mend: '',
  },
} as const satisfies Codes

export const finding = findingOf({ ...WORLD_CODES, ...PROOF_CODES })

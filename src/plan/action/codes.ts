import { WORLD_CODES } from '../../core/codes.ts'
import { POLICY_CODES } from '../../kinds/codes.ts'
import { codesAbout, findingOf } from '../../krm/finding.ts'

/** What somebody did wrong with a signature or a key: nothing is rendered. */
const SIGNATURE_CODES = codesAbout('Signed actions', {
  UnsupportedAlgorithm: {
    severity: 'error',
    meaning: 'An action is not signed, or with another algorithm than HMAC-SHA256 and Ed25519, or than its key has.',
    mend: 'Sign it with nodefit sign.',
  },
  UnknownKey: {
    severity: 'error',
    meaning: 'The keyring lacks the key that an action names. No other key is tried.',
    mend: 'Add the key to the keyring, or remove the action.',
  },
  NoKey: {
    severity: 'error',
    meaning:
      'An action is signed with HMAC-SHA256, and the run has no keyring with secrets. kpt and kustomize, which show a function only the package, can verify Ed25519 alone.',
    mend: 'Run nodefit build --keyring FILE, or sign with an Ed25519 key.',
  },
  MalformedSignature: {
    severity: 'error',
    meaning: 'A signature is not the unpadded base64url of as many bytes as its algorithm has.',
    mend: 'Sign it again.',
  },
  TooFewSignatures: {
    severity: 'error',
    meaning: 'The trust of the run asks for the signatures of several keys for actions of this type.',
    mend: 'Have another person sign it too: nodefit sign --add. All sign the spec alone, so one signature of the other form does not count.',
  },
  BadSignature: {
    severity: 'error',
    meaning: 'An action was changed after it was signed, or signed with another key.',
    mend: 'Find out who changed it; sign it again, or remove it.',
  },
  KeyExpired: {
    severity: 'error',
    meaning: 'An action was issued outside the window of its key.',
    mend: 'Sign it again with a current key.',
  },
  KeyTypeForbidden: {
    severity: 'error',
    meaning: 'The key may not sign actions of this type.',
    mend: 'Sign it with a key that may, or remove it.',
  },
  KeyringInvalid: {
    severity: 'error',
    meaning: 'A key of the keyring cannot be used, or the package has several keyrings.',
    mend: 'Correct the keyring; nodefit sign --new-key writes a key.',
  },
  WeakKey: {
    severity: 'error',
    meaning:
      'A key is of small order, in no canonical form, no point of the curve, or a placeholder: signatures that no private key has made verify with it.',
    mend: 'Replace the key; nodefit sign --new-key writes one.',
  },
  TrustInPackage: {
    severity: 'error',
    meaning: 'An ActionTrust is in the package: whom the operator trusts is said outside it.',
    mend: 'Move it out of the package, and give it with --trust, or as actions.trust of a SyncConfig.',
  },
  TrustOfOtherCluster: {
    severity: 'error',
    meaning: 'The trust of the run is for another cluster than the nodes of the package are of.',
    mend: 'Give the trust of this cluster.',
  },
  PolicyBeyondTrust: {
    severity: 'error',
    meaning:
      'An ActionPolicy allows more than the trust of the run. A package may only narrow it; what it leaves open follows the trust.',
    mend: 'Remove the field, or have the operator widen the trust.',
  },
  NodeNotTrusted: {
    severity: 'error',
    meaning:
      'An action is for a node without the labels that the nodeSelector of the trust asks for, or for a pod on none.',
    mend: 'Remove the action, or have the operator widen the trust.',
  },
  PoolsNotTrusted: {
    severity: 'error',
    meaning:
      'A package has a PoolPolicy, whose fields of nodes need no signature, and the trust of the run has pools: false.',
    mend: 'Move the PoolPolicy to a package without actions, or have the operator widen the trust.',
  },
  NowBeforeSnapshot: {
    severity: 'error',
    meaning:
      'A RenderConfig sets a time before that of the newest inventory or snapshot in a package with actions: what has expired would be valid again.',
    mend: 'Remove spec.now of the RenderConfig.',
  },
  TrustedByPackage: {
    severity: 'warning',
    meaning:
      'Actions are rendered, and nothing outside the package says who may act: whoever may write the package decides.',
    mend: 'Give the run an ActionTrust, where you fix the program: docs/actions.md.',
  },
  TrustUsed: {
    severity: 'info',
    roles: ['shown'],
    meaning: 'Which trust from outside the package the run used, by the first digits of its SHA-256.',
    mend: 'Nothing to do.',
  },
  JobDiffers: {
    severity: 'error',
    meaning:
      'A Job of an earlier run is none that its signed action can give: somebody changed it, or made it up. Jobs are kept as they are, so it would run.',
    mend: 'Find out who changed it. Remove it from the package, or restore it from the commit before; sign the action again where it shall still run.',
  },
  EndUnproved: {
    severity: 'warning',
    meaning:
      'An outcome, a Job, a partial Node or a mark says that an action tainted or holds a node, and no signed action that verifies explains that, or the trust does not allow it: whoever may write the package may have made it up, so the node stays as it is.',
    mend: 'Where an earlier version left it, end it with a signed uncordonNode or untaintNode. Else find out who wrote it.',
  },
  KeyInPackage: {
    severity: 'error',
    meaning: 'A secret key is in the package: whoever reads it can sign, and Git keeps it in its history.',
    mend: 'Replace the key everywhere, and keep the new one outside the package.',
  },
  NonIntegerNumber: {
    severity: 'error',
    meaning: 'A signed number is not an integer, which readers of YAML and JSON write differently.',
    mend: 'Write an integer, or a text in quotes, and sign again.',
  },
  UnsafeInteger: {
    severity: 'error',
    meaning: 'A signed integer is beyond 2^53 - 1, where some readers lose digits.',
    mend: 'Write a smaller integer, or a text in quotes, and sign again.',
  },
  LifetimeTooLong: {
    severity: 'error',
    meaning: 'From issuedAt to expiresAt an action lasts longer than maxLifetime of the ActionPolicy, or not above 0.',
    mend: 'Sign it again with an earlier expiresAt.',
  },
  ActionOfOtherCluster: {
    severity: 'error',
    meaning: 'An action is for another cluster than the nodes of the package.',
    mend: 'Move it to the package of its cluster.',
  },
  ActionUnverified: {
    severity: 'warning',
    meaning: 'An action that no key verifies is rendered, because the ActionPolicy has requireSignature: false.',
    mend: 'Set requireSignature: true, and sign the action.',
  },
})

/** What an action or its policy asks for, and may not. */
const LIMIT_CODES = codesAbout('Signed actions', {
  ActionSummary: {
    roles: ['summary'],
    severity: 'info',
    meaning:
      'The first result of an ActionPolicy: counts actions by state, Jobs, objects, and nodes that are held, kept uncordoned or given back; says when the next action expires.',
    mend: '',
  },
  NoActionPolicy: {
    severity: 'error',
    meaning: 'A package has a NodeAction and no ActionPolicy, which says what actions may do.',
    mend: 'Add an ActionPolicy to the package, or remove the action.',
  },
  TwoActionPolicies: {
    severity: 'error',
    meaning: 'A package has two ActionPolicies.',
    mend: 'Keep one.',
  },
  NoActionTime: {
    severity: 'error',
    meaning: 'Actions are valid for a time, and the package does not say what time it is.',
    mend: 'Export the nodes with nodefit inventory, which writes observedAt where nodes have a heartbeat, and with --observed-at; without a trust spec.now of a RenderConfig counts, too.',
  },
  TimeWentBack: {
    severity: 'error',
    meaning:
      'The time of the run is before the expiry of expired actions, which would be valid again: the snapshot was reverted, or a clock is wrong.',
    mend: 'Export the nodes again. If an earlier time was wrong, render once with nodefit build or nodefit sync, whose clock sets it back; nodefit-fn has none.',
  },
  ActionSpent: {
    severity: 'warning',
    meaning:
      'An act or edit expires before a time that an earlier run took for the present, when what had been done was forgotten: it may have been done, and is not begun.',
    mend: 'If it was not done, sign it again.',
  },
  DuplicateId: {
    severity: 'error',
    meaning: 'Two different actions, one maybe done before, have one id.',
    mend: 'Sign one of them again with another id.',
  },
  DuplicateSequence: {
    severity: 'error',
    meaning: 'Two actions on one field of a target have the same sequence: neither is the later one.',
    mend: 'Sign one of them again with a higher sequence.',
  },
  ActionTypeForbidden: {
    severity: 'error',
    meaning: 'The ActionPolicy does not have the type of an action.',
    mend: 'Add it to spec.types of the ActionPolicy, or remove the action.',
  },
  OverLimit: {
    severity: 'error',
    meaning: 'An action asks for more replicas than maxReplicas of the ActionPolicy.',
    mend: 'Sign it again with fewer replicas, or raise maxReplicas.',
  },
  InvalidLabel: {
    severity: 'error',
    meaning: 'An action has a label or taint that the API server would refuse.',
    mend: 'Sign it again with a valid key and value.',
  },
  ForbiddenLabel: {
    severity: 'error',
    meaning:
      'An action sets or removes a label that belongs to the kubelet, the cloud, an autoscaler or a node pool, or that says which nodes allowControlPlane protects.',
    mend: 'Add the key to spec.allowLabels of the ActionPolicy, or remove the action.',
  },
  ControlPlaneNode: {
    severity: 'error',
    meaning: 'An action cordons, taints or drains a node of the control plane.',
    mend: 'Set spec.allowControlPlane: true of the ActionPolicy, or remove the action.',
  },
  PodNotEvictable: {
    severity: 'error',
    meaning: 'An action evicts a mirror pod, or a pod of a DaemonSet, which would come back at once.',
    mend: 'Remove the action.',
  },
  NodeUidUnknown: {
    severity: 'error',
    meaning: 'A node’s uid is unknown, without which a partial document would create a node again that is gone.',
    mend: 'Export the nodes with nodefit inventory --uid, or add a WorkloadSnapshot that shows them.',
  },
  ActionLabelUnknown: {
    severity: 'error',
    meaning:
      'An action sets or removes a label that the inventory did not export. Somebody else’s value would be replaced, and lost when the action ends; or a label that is there would look absent.',
    mend: 'Export the nodes again with nodefit inventory --label KEY, or add KEY to spec.labels of the SyncConfig.',
  },
  ImageNotPinned: {
    severity: 'error',
    meaning: 'The image of a Job has no digest: whoever moves its tag runs commands with the Job’s rights.',
    mend: 'Write the image with @sha256: and its digest.',
  },
  JobImageMissing: {
    severity: 'error',
    meaning: 'An action needs a Job, and the ActionPolicy names no image for it.',
    mend: 'Set spec.job.image, or for evictPod spec.job.evictImage, of the ActionPolicy.',
  },
  DrainCutShort: {
    severity: 'warning',
    meaning:
      'A drain may take longer than its action is valid. When that expires its Job goes, pods that are left stay, and the node takes new ones.',
    mend: 'Sign another action, with another id, a later expiresAt or a smaller timeoutSeconds, and remove this one.',
  },
  EditNeedsSource: {
    severity: 'error',
    meaning:
      'An action edits a Deployment once, in its file, and this host keeps no files: each run would make the edit anew, over later changes.',
    mend: 'Run kpt fn render over the package, which edits the file and writes the ActionRecord, and commit both. kpt verifies Ed25519 alone: sign the action with such a key.',
  },
  DeploymentTwice: {
    severity: 'error',
    meaning:
      'An action edits a Deployment that several documents of the package are, such as a base and its patch: which of them counts is not known.',
    mend: 'Make the change in the file that counts, and remove the action.',
  },
  HPAOwnsReplicas: {
    severity: 'error',
    meaning:
      'An action scales a Deployment whose replicas a HorizontalPodAutoscaler, or a ScaledObject of KEDA, of the package sets.',
    mend: 'Change the autoscaler, or remove the action.',
  },
  PartialDeployment: {
    severity: 'warning',
    meaning:
      'An action scales, by a partial document, a Deployment that the package lacks: it has two owners from then on, also after the action has expired.',
    mend: 'Let the other owner ignore spec.replicas, or move the action to the package of the Deployment.',
  },
  AgentsKeptOut: {
    severity: 'warning',
    meaning: 'A taint keeps agents of the package, which do not tolerate it, off the node.',
    mend: 'Add the toleration to the agents, or use cordonNode, which DaemonSets ignore.',
  },
  NodesStayHeld: {
    severity: 'warning',
    meaning:
      'The host shows no earlier output, and no WorkloadSnapshot tells which nodes actions hold. When an action ends its document disappears, which leaves the node cordoned, or with its label, for ever.',
    mend: 'Render a folder in place, with --output-dir or with --earlier DIR; or add a WorkloadSnapshot, which nodefit sync writes, and nodefit inventory --pods.',
  },
  NodeInTwoPackages: {
    severity: 'error',
    meaning:
      'Actions of two packages, or an action and a pool, write to one node: documents of one field manager, which take each other’s fields away.',
    mend: 'Move the actions of a cluster, and its pools, to one package.',
  },
})

/** What time and the cluster bring: the action renders nothing, and the run goes on. */
const LAPSE_CODES = codesAbout('Signed actions', {
  ActionExpired: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'An action has expired: what it held is given back.',
    mend: '',
  },
  ActionNotYetValid: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'An action begins later, or was issued more than a minute after the snapshot.',
    mend: '',
  },
  ActionSuperseded: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'A later action decided the same field of the target: the highest sequence applies.',
    mend: '',
  },
  ActionTargetMissing: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'The node, pod, Deployment or container of an action is not there.',
    mend: '',
  },
  ActionTargetChanged: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'The node or pod of an action was replaced by another of the same name.',
    mend: '',
  },
  ActionQueued: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'A drain waits for others: maxConcurrent of the ActionPolicy limits how many run at once.',
    mend: '',
  },
  ActionSuspended: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'A verified action is not rendered because the ActionPolicy is suspended.',
    mend: '',
  },
  ActionRendered: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'An action is valid: what it renders, for whom, and until when.',
    mend: '',
  },
})

/** Codes about signed actions. */
export const ACTION_CODES = { ...LIMIT_CODES, ...SIGNATURE_CODES, ...LAPSE_CODES }

export const finding = findingOf(POLICY_CODES, WORLD_CODES, ACTION_CODES)

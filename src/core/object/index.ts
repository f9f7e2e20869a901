export {
  type Remembered,
  rememberedAnnotations,
  rememberedCluster,
  rememberedClusterUid,
  rememberedNodes,
} from '../../krm/remembered.ts'
export { canonical, canonicalizer } from './canonical.ts'
export { OBJECT_CODES } from './codes.ts'
export { copyableAnnotations, copyableLabels, SERVER_FIELDS, withoutForeignMarks } from './copied.ts'
export { sha256 } from './digest.ts'
export { type ForeignOwner, foreignOwners, ownedByText } from './foreign-owners.ts'
export {
  type HandOver,
  handOvers,
  inWavesOf,
  isPrunedLast,
  nodesTaken,
  prunedLast,
  releaseWaves,
  SYNC_WAVE,
  waitsBetweenWaves,
  waveOf,
} from './hand-overs.ts'
export { imagesOf } from './images.ts'
export { keepOptionOf } from './keep-options.ts'
export { hasSelfAntiAffinity, hostPortsOf } from './one-pod-per-node.ts'
export { hasSizes, sizedResources } from './resources.ts'
export { type Searched, secretLines, secretPaths, withoutSecrets } from './secrets.ts'
export {
  clusterShapes,
  countServedNodes,
  isReadablePodSpec,
  lastingTaint,
  memberNodes,
  podLabels,
  podSpecOf,
  servedNodes,
} from './served.ts'
export { statePathsOf } from './state-paths.ts'
export { findTarget, otherApiMend } from './target.ts'
export { hasInstanceLabel, instanceLabelFindings, type TextProblem, textProblem, valueProblem } from './text-maps.ts'
export { type Replacement, replacementOf, surgeBlocker, updateStrategyOf } from './update-strategy.ts'
export { withAnnotations } from './with-annotations.ts'

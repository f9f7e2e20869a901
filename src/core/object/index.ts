export {
  type Remembered,
  rememberedAnnotations,
  rememberedCluster,
  rememberedClusterUid,
  rememberedNodes,
} from '../../krm/remembered.ts'
export { canonical, canonicalizer, sha256, withAnnotations } from './canonical.ts'
export { OBJECT_CODES } from './codes.ts'
export {
  copyableAnnotations,
  copyableLabels,
  type ForeignOwner,
  foreignOwners,
  keepOptionOf,
  ownedByText,
  SERVER_FIELDS,
  withoutForeignMarks,
} from './copied.ts'
export { hasSizes, sizedResources } from './resources.ts'
export {
  hasInstanceLabel,
  instanceLabelFindings,
  type Searched,
  secretLines,
  secretPaths,
  type TextProblem,
  textProblem,
  valueProblem,
  withoutSecrets,
} from './secrets.ts'
export {
  clusterShapes,
  countServedNodes,
  type HandOver,
  handOvers,
  imagesOf,
  inWavesOf,
  isPrunedLast,
  isReadablePodSpec,
  lastingTaint,
  memberNodes,
  nodesTaken,
  podLabels,
  podSpecOf,
  prunedLast,
  releaseWaves,
  SYNC_WAVE,
  servedNodes,
  waitsBetweenWaves,
  waveOf,
} from './served.ts'
export { findTarget, otherApiMend } from './target.ts'
export {
  hasSelfAntiAffinity,
  hostPortsOf,
  type Replacement,
  replacementOf,
  statePathsOf,
  surgeBlocker,
  updateStrategyOf,
} from './update-strategy.ts'

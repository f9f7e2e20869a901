export { PROOF_CODES } from './codes.ts'
export { type Lot, lotsIn } from './fit/lots.ts'
export { roomIn } from './fit/other-pods.ts'
export { planFindings, proofs } from './proofs.ts'

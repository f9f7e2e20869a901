export { PROOF_CODES } from './codes.ts'
export { proofs } from './proofs.ts'

export { PROOF_CODES } from './codes.ts'
export { areCompatible } from './compatible.ts'
export { proofs } from './proofs.ts'

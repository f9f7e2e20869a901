/** The functions of src/host/sync/git that a suite runs again with a fault in one of its modules. */

export { openRepository } from '../../src/host/sync/git/git-repository.ts'
export { commitAndPush } from '../../src/host/sync/git/push.ts'

/** The functions of src/sync/git that a suite runs again with a fault in one of its modules. */
export { commitAndPush } from '../../src/sync/git/commit-and-push.ts'
export { openRepository } from '../../src/sync/git/git-repository.ts'

/** Whether this process runs several files, which have the servers that take long to start one after another. */
export const SHARED = process.env.SHARED_HOSTS === 'true'

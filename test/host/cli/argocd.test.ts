import * as assert from 'uvu/assert'
import { argocdParameters } from '../../../src/host/cli/argocd.ts'
import { UserError } from '../../../src/host/files/user-error.ts'
import { suite } from '../../support/suite.ts'

const DEFAULTS = { paths: ['.'], earlier: undefined, set: undefined, cluster: undefined, policies: undefined }

const TAKEN: Array<[name: string, text: string | undefined, expected: object]> = [
  ['no variable', undefined, DEFAULTS],
  ['null, as for plugin: {}', 'null', DEFAULTS],
  ['an empty list', '[]', DEFAULTS],
  ['paths', '[{"name":"paths","array":["a","b/c.yaml"]}]', { ...DEFAULTS, paths: ['a', 'b/c.yaml'] }],
  ['earlier', '[{"name":"earlier","string":"rendered"}]', { ...DEFAULTS, earlier: 'rendered' }],
  ['the announced default of earlier', '[{"name":"earlier","string":""}]', DEFAULTS],
  [
    'flat keys, whose values may hold =',
    '[{"name":"set","map":{"target":"a","containers":"b=c"}}]',
    { ...DEFAULTS, set: ['target=a', 'containers=b=c'] },
  ],
  ['the announced default of set', '[{"name":"set","map":{}}]', DEFAULTS],
  ['cluster', '[{"name":"cluster","string":"prod-eu"}]', { ...DEFAULTS, cluster: 'prod-eu' }],
  ['policies', '[{"name":"policies","array":["a","b"]}]', { ...DEFAULTS, policies: ['a', 'b'] }],
  ['members that are null', '[{"name":"paths","array":["a"],"string":null,"map":null}]', { ...DEFAULTS, paths: ['a'] }],
]

const REFUSED: Array<[text: string, sentence: string]> = [
  ['', 'ARGOCD_APP_PARAMETERS is not JSON'],
  ['[', 'ARGOCD_APP_PARAMETERS is not JSON'],
  ['{"paths":["a"]}', 'ARGOCD_APP_PARAMETERS is not a list of parameters'],
  ['["paths"]', 'ARGOCD_APP_PARAMETERS holds an entry without a name'],
  ['[{"string":"a"}]', 'ARGOCD_APP_PARAMETERS holds an entry without a name'],
  ['[null]', 'ARGOCD_APP_PARAMETERS holds an entry without a name'],
  [
    '[{"name":"path","string":"a"}]',
    'unknown parameter "path", did you mean paths?; the plugin takes cluster, policies, paths, earlier, set',
  ],
  [
    '[{"name":"__proto__","string":"a"}]',
    'unknown parameter "__proto__"; the plugin takes cluster, policies, paths, earlier, set',
  ],
  ['[{"name":"paths","string":"a"}]', 'the parameter paths is a list (array), not a string (string)'],
  ['[{"name":"earlier","array":["a"]}]', 'the parameter earlier is a string (string), not a list (array)'],
  ['[{"name":"paths","array":["a"],"string":"b"}]', 'the parameter paths is a list (array), not a string (string)'],
  ['[{"name":"earlier","string":"a","value":"b"}]', 'the parameter earlier is a string (string), not "value"'],
  ['[{"name":"paths"}]', 'the parameter paths needs a list of strings (array)'],
  ['[{"name":"paths","array":[1]}]', 'the parameter paths needs a list of strings (array)'],
  ['[{"name":"set","map":["a"]}]', 'the parameter set needs a map of strings (map)'],
  ['[{"name":"set","map":{"target":1}}]', 'the parameter set needs a map of strings (map)'],
  ['[{"name":"earlier","string":1}]', 'the parameter earlier needs a string (string)'],
  ['[{"name":"paths","array":[]}]', 'the parameter paths is an empty list: name files or folders, or leave it out'],
  [
    '[{"name":"policies","array":[]}]',
    'the parameter policies is an empty list: name every SizingPolicy, or leave it out',
  ],
  [
    '[{"name":"cluster","string":""}]',
    'the parameter cluster is empty: name the cluster of the inventory, or leave it out',
  ],
  ['[{"name":"policies","string":"a"}]', 'the parameter policies is a list (array), not a string (string)'],
  ['[{"name":"set","map":{"a=b":"c"}}]', 'the parameter set has the invalid key "a=b"'],
  ['[{"name":"set","map":{"":"c"}}]', 'the parameter set has the invalid key ""'],
  ['[{"name":"paths","array":["a"]},{"name":"paths","array":["b"]}]', 'the parameter paths is given twice'],
]

suite('the parameters of an Application', (test) => {
  for (const [name, text, expected] of TAKEN)
    test(`${name}: taken`, () => assert.equal(argocdParameters(text), expected))
  for (const [text, sentence] of REFUSED) {
    test(`${text}: refused`, () =>
      assert.throws(
        () => argocdParameters(text),
        (error: unknown) => {
          assert.is((error as Error).message, sentence)
          return error instanceof UserError
        },
      ))
  }
})

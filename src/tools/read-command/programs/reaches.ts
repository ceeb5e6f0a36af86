import type { CommandReading } from '../../../core/policy/match-command.ts'

/** What a program deletes, or where it leads beyond this machine, by its words. */
interface Reach {
  /** Names, with a bar between two. One with a star is the beginning of a name. */
  readonly programs: string
  /** A pattern of what follows the name. It is made when a command of the program is read: all of them take 3 ms. */
  readonly words: string
  /** In words, with the first group of `words` as its thing. */
  readonly does: string
  /** Default: an option has another meaning in capitals. */
  readonly isCaseless?: true
}

const REST = String.raw`(?:\s|$)`
const OPTIONS = String.raw`(?:\s+-\S+)*`
/** Between a program and its verb: options with or without values. */
const GAP = String.raw`(?:\s+-\S+(?:\s+[^-\s]\S*)?)*?\s+`
/** The same, with a group or two before the verb: `s3`, `pr`. */
const GROUPS = String.raw`(?:\s+\S+){0,3}?\s+`

/** A blank within a word is written as this sign, so that no word looks like two. */
const BLANK = String.raw`[\s\u2423]`
/** A request that sends something, by its method or its long options. */
const SENDERS = 'curl|wget|http|https|xh'
const SENDS = String.raw`(?=.*\s(?:-X\s*(?:POST|PUT|PATCH|DELETE)|--(?:data|form|json|upload-file|post-|body-|(?:method|request)[=\s]\s*(?:POST|PUT|PATCH|DELETE))|(?:POST|PUT|PATCH|DELETE)\s))`
/** Of the short options of curl these send, also among others: `-sSd`. */
const CURL_SENDS = String.raw`(?=.*\s-[A-Za-z]*(?:[dTF]|X\s*(?:POST|PUT|PATCH|DELETE)))`
/** An address with its scheme, or a word that looks like one. */
const ADDRESSES = [String.raw`.*?(https?:\/\/\S+).*`, String.raw`.*?\s([\w-]+(?:\.[\w-]+)+[:/]\S*).*`]
/** Between a program of a cloud and its verb: a service, and what it has. */
const SERVICE = String.raw`(?:\s+[\w-]+){1,2}?\s+`

const DELETES: readonly Reach[] = [
  { programs: 'rm|rmdir|unlink|shred|srm|trash', words: `${OPTIONS}\\s+(.+)`, does: 'deletes' },
  { programs: 'find', words: `\\s+(.+?)\\s+.*-delete${REST}.*`, does: 'deletes what it finds in' },
  { programs: 'mkfs*|wipefs|fdisk|parted|sgdisk', words: `\\s+(.+)`, does: 'erases' },
  { programs: 'dd', words: `\\s.*\\bof=(\\S+).*`, does: 'overwrites' },
  { programs: 'truncate', words: `\\s+(.+)`, does: 'cuts off' },
  { programs: 'git', words: `${GAP}clean\\b(.*)`, does: 'deletes what git does not know' },
  { programs: 'git', words: `${GAP}reset\\s.*--hard\\b(.*)`, does: 'drops changes that were not committed' },
  { programs: 'git', words: `${GAP}(?:branch|tag)\\s.*(?:-[dD]|--delete)\\s+(.+)`, does: 'deletes' },
  { programs: 'git', words: `${GAP}checkout\\s(?:.*\\s)?--\\s(.*)`, does: 'drops changes of' },
  { programs: 'git', words: `${GAP}restore\\s(?!.*--staged)(.+)`, does: 'drops changes of' },
  { programs: 'crontab', words: `${OPTIONS}\\s+-r\\b(.*)`, does: 'deletes all jobs of cron' },
  { programs: 'git', words: `${GAP}stash\\s+(?:drop|clear)\\b(.*)`, does: 'drops stashed changes' },
  { programs: 'docker|podman|nerdctl', words: `(?:\\s+\\S+)?\\s+(?:rm|rmi|prune|kill|down)\\b(.*)`, does: 'removes' },
  { programs: 'kubectl|oc', words: `${GAP}(?:delete|drain)\\s+(.+)`, does: 'deletes in the cluster' },
  { programs: 'terraform|tofu|pulumi|cdk', words: `${GROUPS}(?:destroy|down)\\b(.*)`, does: 'destroys' },
  { programs: 'helm', words: `${GAP}(?:uninstall|delete)\\s+(.+)`, does: 'uninstalls' },
  {
    programs: 'aws|gcloud|az|gsutil|gh|heroku|fly|flyctl|doctl',
    words: `${GROUPS}(?:rm|rb|delete\\S*|destroy\\S*|terminate\\S*|remove\\S*)\\b(.*)`,
    does: 'deletes with',
  },
  { programs: 'dropdb|dropuser', words: `${OPTIONS}\\s+(.+)`, does: 'drops' },
  {
    programs: 'psql|mysql|mariadb|sqlite3|mongosh|clickhouse|cockroach',
    words: `\\s.*?\\b(drop${BLANK}+(?:table|database|schema|view|index|user)${BLANK}+[^\\s\\u2423]+|truncate${BLANK}+[^\\s\\u2423]+|delete${BLANK}+from${BLANK}+[^\\s\\u2423]+).*`,
    does: 'runs',
    isCaseless: true,
  },
  { programs: 'redis-cli', words: `\\s.*\\b(flushall|flushdb)\\b.*`, does: 'runs', isCaseless: true },
]

const LEAVES: readonly Reach[] = [
  { programs: 'git', words: `${GAP}push\\b(.*)`, does: 'pushes to' },
  {
    programs: 'npm|pnpm|yarn|bun|cargo|poetry|gem|twine|uv|vsce|mvn|gradle',
    words: `${GAP}(?:publish|upload|deploy|push|unpublish)\\b(.*)`,
    does: 'publishes',
  },
  { programs: 'docker|podman|nerdctl|helm', words: `${GROUPS}push\\s+(.+)`, does: 'pushes' },
  { programs: 'ssh|sftp|ftp|nc|ncat|socat|telnet', words: `\\s+(.+)`, does: 'reaches' },
  { programs: 'scp|rsync', words: `\\s(?=.*[\\w.-]+:)(.+)`, does: 'reaches' },
  ...ADDRESSES.flatMap(address => [
    { programs: SENDERS, words: SENDS + address, does: 'sends to' },
    { programs: 'curl', words: CURL_SENDS + address, does: 'sends to' },
  ]),
  {
    programs: 'kubectl|oc',
    words: `${GAP}(?:apply|create|replace|patch|scale|rollout|set|edit|label|annotate|cordon|taint)\\b(.*)`,
    does: 'changes the cluster:',
  },
  {
    programs:
      'terraform|tofu|pulumi|cdk|serverless|sls|vercel|netlify|fly|flyctl|heroku|eb|wrangler|firebase|kamal|cap|ansible-playbook|helm',
    words: `${GROUPS}(?:apply|up|deploy|install|upgrade|promote|releases?|publish)\\b(.*)`,
    does: 'deploys',
  },
  { programs: 'ansible-playbook|ansible', words: `\\s+(.+)`, does: 'changes machines:' },
  {
    programs: 'aws|gcloud|az|doctl',
    words: `${SERVICE}(?:put\\S*|create\\S*|update\\S*|run\\S*|start\\S*|stop\\S*|deploy|sync|cp|mv|send\\S*|publish|invoke|apply|set\\S*)(?![\\w-])(.*)`,
    does: 'changes the cloud:',
  },
  { programs: 'gsutil', words: `${GAP}(?:cp|mv|rsync|mb|setmeta|acl|iam)\\b(.*)`, does: 'changes the cloud:' },
  {
    programs: 'gh',
    words: `(?=.*\\s(?:-X|--method)[=\\s]*(?:POST|PUT|PATCH|DELETE))\\s+api\\s+(.*)`,
    does: 'writes to GitHub:',
  },
  {
    programs: 'gh',
    words: `\\s+[\\w-]+${GAP}(?:create|merge|close|comment|edit|review|reopen|run|upload|set|rerun|enable|disable)(?![\\w-])(.*)`,
    does: 'writes to GitHub:',
  },
  { programs: 'sendmail|mail|mailx|mutt|msmtp|swaks', words: `\\s+(.+)`, does: 'sends mail to' },
]

const REACHES: readonly Reach[] = [...DELETES, ...LEAVES]

function isOf(program: string, { programs }: Reach): boolean {
  return programs
    .split('|')
    .some(name => (name.endsWith('*') ? program.startsWith(name.slice(0, -1)) : program === name))
}

function patternOf({ words, isCaseless }: Reach): RegExp {
  return new RegExp(`^${words}$`, isCaseless ? 'is' : 's')
}

const LONGEST_THING = 80
/** A longer command is no such act, or its own text is what people must read. */
const LONGEST_WORDS = 2_000

/** What a line deletes, or where it leads beyond this machine, by the commands that it certainly is; a phrase each. */
export function reachesOf(commands: readonly CommandReading[]): readonly string[] {
  const lines = commands
    .filter(({ doubt }) => doubt === null)
    .map(({ words }) => words.map(pieces => pieces.join('…').replaceAll(/\s/g, '\u2423')).join(' '))
  return [...new Set(lines.flatMap(line => reachOf(line.slice(0, LONGEST_WORDS))))]
}

/** Programs that do nothing if they are only to say what they would do, and the words for it; none behind takes it back. */
const REHEARSERS = /^(?:git|npm|pnpm|cargo|kubectl|oc|helm|aws|gh|docker)$/i
const REHEARSED =
  /^(?!.*\s(?:--no-dry-?run|--dry-?run=(?:none|false)|--)(?:\s|$)).*\s--dry-?run(?:=(?:client|server|true))?(?:\s|$)/s

function reachOf(line: string): string[] {
  const [name = ''] = line.split(/\s/, 1)
  if (REHEARSERS.test(name) && REHEARSED.test(line)) return []
  for (const reach of REACHES.filter(each => isOf(name.toLowerCase(), each))) {
    const [, thing = null] = patternOf(reach).exec(line.slice(name.length)) ?? []
    if (thing !== null) return [phrase(reach.does, shortened(operandsOf(thing)))]
  }
  return []
}

/** Without its thing an act has no preposition: `pushes`, not `pushes to`. */
function phrase(does: string, thing: string): string {
  return thing === '' ? does.replace(/ (?:to|of|with|what it finds in)$|:$/, '') : `${does} ${thing}`
}

/** Options whose value is the next word. One that is not here shows its value among the things. */
const VALUED =
  /\s--(?:access|tag|otp|registry|workspace|repository|token|message|title|body|label|region|profile|namespace|context|project|zone|output|format|timeout)\s+[^-\s]\S*/g

/** The words that are no options and not their values, as far as they are known. A blank within a word is one again. */
function operandsOf(words: string): string {
  const operands = words
    .replaceAll(VALUED, '')
    .split(/\s+/)
    .filter(word => !/^-|^[\u2026;]+$/.test(word))
  return operands.join(' ').replaceAll('\u2423', ' ').trim()
}

function shortened(thing: string): string {
  return thing.length <= LONGEST_THING ? thing : `${thing.slice(0, LONGEST_THING - 1)}…`
}

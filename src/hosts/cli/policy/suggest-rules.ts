/** `policy suggest`: rules that would have spared people approvals, each with its evidence. It changes nothing. */
import type { SuggestedRule, Suggestions } from '../../../core/load/suggestion.ts'
import { jsonLine, visibleLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { timeAgo } from '../../command/flag-values.ts'
import { ago } from '../../display/ago.ts'
import { shellWord } from '../../process/shell-word.ts'
import { systemClock } from '../../process/system-clock.ts'
import { onlyWord, openForReading } from '../open-for-reading.ts'

export async function suggestRules(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  onlyWord(given.words, 'policy suggest [--since TIME]')
  const since = given.value('since')
  await using app = await openForReading(context)
  const suggestions = await app.holdpoint.grants.suggest(
    since === null ? {} : { since: timeAgo(since, 'since', systemClock.now()) },
  )
  io.out(json ? jsonLine(suggestions) : asText(suggestions))
  return 0
}

function asText({ since, suggestions }: Suggestions): string {
  if (suggestions.length === 0)
    return `No rule would have spared two approvals since ${since.slice(0, 'YYYY-MM-DD'.length)}.\n`
  const parts = suggestions.map(each => `${ruleLines(each).map(visibleLine).join('\n')}\n`)
  return `${parts.join('\n')}\n${SWITCH_ON}`
}

const MOST_EXAMPLES = 3

function ruleLines({ agent, rule, ...evidence }: SuggestedRule): string[] {
  const { spared, of, replayed_over, approved_by, lets_pass } = evidence
  const [newest] = lets_pass
  const when = newest ? `, the newest ${ago(newest.decided_at, systemClock.now())}` : ''
  const flags = Object.entries(rule.match).map(pair => ` --match ${shellWord(pair.join('='))}`)
  return [
    JSON.stringify(rule),
    `  ${agent} asked ${of} times for ${rule.tool}: this would have spared ${spared} approvals by ${approved_by.join(', ')}${when}`,
    ...lets_pass
      .slice(0, MOST_EXAMPLES)
      .map(({ arguments: args }) => `  lets pass: ${shownArguments(args, rule.match)}`),
    `  of all ${replayed_over} answers on record, no refusal is about a call that it covers`,
    `  switch it on: holdpoint grants add --agent ${shellWord(agent)} --tool ${shellWord(rule.tool)}${flags.join('')}`,
  ]
}

const LONGEST = 100

/** The arguments that the rule speaks of. */
function shownArguments(args: SuggestedRule['lets_pass'][number]['arguments'], match: object): string {
  const [only, ...more] = Object.keys(match)
  const value = only !== undefined && more.length === 0 ? args[only] : null
  const text = typeof value === 'string' ? value : JSON.stringify(args)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

const SWITCH_ON = `Nothing was changed. A rule that is switched on expires after 30 days, or as --expires says, and
\`holdpoint grants revoke\` takes it back. A rule in .holdpoint/policy.json holds until it is removed.
`

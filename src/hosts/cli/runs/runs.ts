import { jsonLine } from '../../../core/text/visible-text.ts'
import type { RunRow } from '../../../ports/store/runs.ts'
import type { RunNode } from '../../../runtime/views/run-path.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { LISTED_RUN_STATUSES } from '../../command/flag-words.ts'
import { fullId } from '../../command/full-id.ts'
import type { App } from '../../compose/compose.ts'
import { signer } from '../../process/actor.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { onlyWord, openForReading, openToLook, refuseWords } from '../open-for-reading.ts'
import { listedRun, listedRunTree, standingOf } from './run-document.ts'
import { knownOf, type ListedRun, runList } from './run-list.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json } = context
  const [verb, ...words] = given.words
  if (verb === 'release') return releaseRun(context, words)
  refuseWords(given.words, 'runs')
  const status = oneOf(given, 'status', LISTED_RUN_STATUSES)
  const limit = limitIn(given)
  if (given.has('tree') && status === 'ready') throw argumentRefusals.noTreeOfReady()
  await using app = await openToLook(context)
  if (status === 'ready') {
    io.out(await listText(context, app, (await readyRuns(app)).slice(0, limit)))
    return 0
  }
  const query = { limit, ...(status && { status }) }
  if (!given.has('tree')) {
    io.out(await listText(context, app, await app.holdpoint.runs(query)))
    return 0
  }
  const roots = await app.holdpoint.runTree(query)
  const branches = () => roots.flatMap(root => branch(root))
  if (!json) io.out(await runList(context, app, branches()))
  else {
    const known = await knownOf(
      app,
      branches().map(({ row }) => row),
    )
    io.out(jsonLine(roots.map(root => listedRunTree(root, known))))
  }
  return 0
}

async function listText(context: CommandContext, app: App, rows: readonly RunRow[]): Promise<string> {
  if (context.json) {
    const known = await knownOf(app, rows)
    return jsonLine(rows.map(row => listedRun(row, known)))
  }
  return runList(
    context,
    app,
    rows.map(row => ({ row, level: 0 })),
  )
}

/** Few runs are running at a time, so all of those are looked at. */
async function readyRuns({ holdpoint }: Pick<App, 'holdpoint'>): Promise<readonly RunRow[]> {
  const running = await holdpoint.runs({ status: 'running' })
  return running.filter(row => standingOf(row) === 'ready')
}

function branch(node: RunNode, level = 0): ListedRun[] {
  return [{ row: node, level }, ...node.children.flatMap(child => branch(child, level + 1))]
}

/** `holdpoint runs release RUN`: another process can go on with a run whose host is gone. */
async function releaseRun(context: CommandContext, words: readonly string[]): Promise<number> {
  const word = onlyWord(words, 'runs release RUN')
  await using app = await openForReading(context)
  const released = await app.holdpoint.release(await fullId(app.holdpoint, word), signer(context.env))
  const { io, json } = context
  io.out(json ? jsonLine(released) : `${released.run_id} is free: ${released.owner} can write nothing more of it.\n`)
  return 0
}

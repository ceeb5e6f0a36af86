import { readFile } from 'node:fs/promises'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { ModelError, messageOf } from '../core/errors.ts'
import { toolRefusals } from '../core/refusals/tool-refusals.ts'
import { isTooDeepToParse, treeFault } from '../core/text/tree-fault.ts'
import type { Model, ModelAnswer, ModelRequest } from '../ports/agent/model.ts'
import { type PlayedTurn, playScript } from './play-script.ts'
import { asScript, type Script } from './script.ts'

const PIECES = 4

/**
 * A model that plays a file (docs/design/library.md#scripted-models). It keeps nothing between answers: the turn follows
 * from the conversation alone, so one script serves any number of processes.
 * @throws RefusedError `invalid_script`
 */
export async function openScriptedModel(id: string, file: string): Promise<Model> {
  return modelOf(id, await readScript(file))
}

/** A scripted model from turns in code. @throws RefusedError `invalid_script` */
export function scriptedModel(turns: Script, id = 'script:turns'): Model {
  return modelOf(id, asScript(turns, 'of these turns'))
}

function modelOf(id: string, script: Script): Model {
  const turnAt = playScript(script)
  return {
    id,
    async answer(request) {
      request.signal.throwIfAborted()
      return say(turnAt(request.messages.filter(message => message.role === 'assistant').length), request)
    },
  }
}

async function say(turn: PlayedTurn, { signal, onPart }: ModelRequest): Promise<ModelAnswer> {
  if (turn.delayMs > 0) await setTimeout(turn.delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  if (turn.text !== '') onPart({ kind: 'text.start', data: { id: 'text' } })
  for (const delta of piecesOf(turn.text)) {
    onPart({ kind: 'text.delta', data: { id: 'text', delta } })
    await setImmediate()
    signal.throwIfAborted()
  }
  if (turn.failure) {
    throw new ModelError('model_error', turn.failure.message, { retryable: turn.failure.retryable ?? false })
  }
  if (turn.text !== '') onPart({ kind: 'text.end', data: { id: 'text' } })
  for (const call of turn.calls) tellCall(call, onPart)
  return {
    text: turn.text,
    calls: turn.calls.map(call => ({ ...call, metadata: null })),
    usage: turn.usage,
    finish_reason: turn.finishReason,
  }
}

function tellCall(
  { id: call_id, name, arguments: delta }: PlayedTurn['calls'][number],
  onPart: ModelRequest['onPart'],
): void {
  onPart({ kind: 'tool_input.start', data: { call_id, name } })
  onPart({ kind: 'tool_input.delta', data: { call_id, delta } })
  onPart({ kind: 'tool_input.end', data: { call_id } })
}

/** Whole words, so that no character is torn apart. */
function piecesOf(text: string): string[] {
  const words = text.match(/\s*\S+|\s+$/g) ?? []
  const size = Math.ceil(words.length / PIECES)
  return Array.from({ length: Math.min(PIECES, words.length) }, (_, index) =>
    words.slice(index * size, (index + 1) * size).join(''),
  ).filter(piece => piece !== '')
}

/** @throws RefusedError `invalid_script` for a file that cannot be read or is no script. */
async function readScript(file: string): Promise<Script> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw toolRefusals.invalidScript(file, `it cannot be read (${messageOf(error)})`, error)
  })
  const value = await parsed(text.replace(/^\uFEFF/, ''), file)
  const fault = treeFault(value)
  if (fault) throw toolRefusals.invalidScript(file, `it ${fault}`)
  return asScript(value, file)
}

/** YAML takes a tenth of a second to load, and JSON scripts do not need it. */
async function parsed(text: string, file: string): Promise<unknown> {
  if (text.trimStart().startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      // A YAML list may start with a bracket too, and for broken JSON the YAML parser names the place.
    }
  }
  const { parse } = await import('yaml')
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    if (isTooDeepToParse(error)) throw toolRefusals.invalidScript(file, 'it is nested too deeply', error)
    const [what = ''] = messageOf(error).split('\n', 1)
    throw toolRefusals.invalidScript(file, what.replace(/[.:]$/, ''), error)
  }
}

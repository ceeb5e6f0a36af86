import { RefusedError } from '../../core/errors.ts'

export function unusableAgentFile(file: string, problem: string, cause?: unknown): RefusedError {
  return new RefusedError('invalid_agent', `The agent file ${file} cannot be used: ${problem}.`, {
    hint: 'Correct the file, or name another one; nothing was run.',
    cause,
  })
}

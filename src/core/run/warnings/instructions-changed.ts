import { changedFiles, type InstructionsFile } from '../../settings/project-instructions.ts'
import type { RunWarning } from './run-warning.ts'

/** What a person who goes on with a run should know: it keeps the instructions that it read. */
export function instructionsChanged(
  before: readonly InstructionsFile[],
  now: readonly InstructionsFile[],
): readonly RunWarning[] {
  const files = changedFiles(before, now)
  if (files.length === 0) return []
  const message = `${files.join(', ')} changed since this run started; it keeps the instructions that it read then.`
  return [{ code: 'instructions_changed', files, message, hint: 'The next run reads them anew.' }]
}

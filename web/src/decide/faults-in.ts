import type { ProblemDocument } from '../api/problem.ts'

const ISSUE = /(?:^|[:;] )(?:arguments|value|body\.arguments|body\.value)\.([^\s:;]+): ([^;]+)/g

/** Path to message, for the fields that a refusal is about; empty if it is about none. */
export function faultsIn({ errors, detail }: ProblemDocument): Readonly<Record<string, string>> {
  const told = errors?.map(({ path, message }) => [path.replace(/^(body\.)?(arguments|value)\./, ''), message] as const)
  const found = [...detail.matchAll(ISSUE)].map(([, path = '', message = '']) => [path, message] as const)
  return Object.fromEntries(told ?? found)
}

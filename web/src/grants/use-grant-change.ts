import { useQueryClient } from '@tanstack/react-query'
import { useRequest } from '../parts/use-request.ts'

interface GrantChange extends Omit<ReturnType<typeof useRequest>, 'send'> {
  readonly change: () => void
}

/** A change of grants from a dialog, which closes once the lists are those of after it. */
export function useGrantChange(work: () => Promise<unknown>, onClose: () => void): GrantChange {
  const queries = useQueryClient()
  const { send, ...state } = useRequest()
  const change = () =>
    send(async () => {
      await work()
      await Promise.all(['grants', 'suggestions'].map(key => queries.invalidateQueries({ queryKey: [key] })))
      onClose()
    })
  return { ...state, change: () => void change() }
}

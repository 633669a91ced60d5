using System.ComponentModel;
using System.Globalization;
using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>The affinity masks of another process's threads, as taskset and the kernel's files show them.</summary>
public static partial class ThreadMasks
{
    private const int ESRCH = 3;

    /// <summary>Sets the masks of all threads, as <c>taskset -a -p</c> does, those that start meanwhile included.</summary>
    public static void SetAll(int processId, CpuSet cpus)
    {
        var done = new HashSet<int>();
        int[] left;
        while ((left = [.. ThreadsOf(processId).Where(id => !done.Contains(id))]).Length > 0)
        {
            foreach (var id in left)
            {
                Set(id, cpus);
                done.Add(id);
            }
        }
    }

    /// <summary>
    /// The masks of workers and loops with their spares (numa0-1, numa0-loop0.1), not of the threads that watch.
    /// </summary>
    public static CpuSet[] OfNodes(int processId) =>
    [
        .. ThreadsOf(processId)
            .Where(id => TryRead(processId, id, "comm") is ['n', 'u', 'm', 'a', >= '0' and <= '9', ..])
            .Select(id => MaskIn(TryRead(processId, id, "status")))
            .OfType<CpuSet>(),
    ];

    /// <summary>Waits until all of them are these CPUs, and there is more than one thread.</summary>
    public static void WaitFor(int processId, CpuSet cpus) => Wait.Until(
        () => OfNodes(processId) is { Length: > 1 } masks && masks.All(cpus.Equals),
        () => $"on {string.Join(" ", OfNodes(processId).Select(static mask => $"[{mask}]"))}",
        $"all on {cpus}");

    private static CpuSet? MaskIn(string status) =>
        status.Split('\n')
            .FirstOrDefault(static line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)) is { } line
            ? CpuSet.ParseList(line.AsSpan(line.IndexOf(':', StringComparison.Ordinal) + 1))
            : null;

    private static int[] ThreadsOf(int processId) =>
    [
        .. Directory.GetDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/task"))
            .Select(static path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture)),
    ];

    private static string TryRead(int processId, int threadId, string file)
    {
        try
        {
            return File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{processId}/task/{threadId}/{file}"));
        }
        catch (IOException)
        {
            // The thread has ended meanwhile.
            return "";
        }
    }

    private static void Set(int threadId, CpuSet cpus)
    {
        var words = cpus.AsWords();
        if (SchedSetAffinity(threadId, (nuint)(words.Length * sizeof(ulong)), words) != 0
            && Marshal.GetLastPInvokeError() is var error and not ESRCH)
        {
            throw new Win32Exception(error);
        }
    }

    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    private static partial int SchedSetAffinity(int threadId, nuint size, ReadOnlySpan<ulong> mask);
}

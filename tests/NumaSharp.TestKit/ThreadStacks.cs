using System.ComponentModel;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Runtime;

namespace NumaSharp.TestKit;

/// <summary>
/// The stacks of all threads, for the message of a wait that has failed: the managed frames out of a dump that the runtime writes
/// of itself, and what the kernel says of each thread.
/// </summary>
public static class ThreadStacks
{
    private const int MaxFrames = 40;

    /// <summary>Never throws: where there is no dump, it says why, and has the kernel's part.</summary>
    public static string Capture()
    {
        var text = new StringBuilder();
        AppendKernelStates(text, "/proc/self/task");
        AppendManagedStacks(text);
        return text.ToString();
    }

    /// <summary>The kernel's part, for another process.</summary>
    public static string Capture(int processId)
    {
        var text = new StringBuilder();
        AppendKernelStates(text, $"/proc/{processId}/task");
        return text.ToString();
    }

    private static void AppendManagedStacks(StringBuilder text)
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathOf("dump");
        try
        {
            if (!TryWriteDump(path) && !TryWriteDump(path))
            {
                text.AppendLine("No dump: createdump did not end.");
                return;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or TimeoutException
            or DiagnosticsClientException or Win32Exception)
        {
            // A runtime without createdump, as in the guest, a process that may not be traced, or no shell.
            text.AppendLine(CultureInfo.InvariantCulture, $"No dump: {exception.Message}");
            return;
        }

        try
        {
            using var dump = DataTarget.LoadDump(path);
            // The one beside the runtime, which is that of this process; otherwise a symbol server would be asked.
            using var runtime = dump.ClrVersions[0].CreateRuntime(
                Path.Join(RuntimeEnvironment.GetRuntimeDirectory(), "libmscordaccore.so"), ignoreMismatch: true);
            foreach (var thread in runtime.Threads)
            {
                Append(text, thread);
            }
        }
        catch (Exception exception) when (exception is IOException or InvalidDataException or InvalidOperationException
            or ClrDiagnosticsException or IndexOutOfRangeException)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"No managed stacks: {exception.Message}");
        }
    }

    // createdump walks the runtime's data without end, now and then, if a thread has begun while it stopped the others (seen with
    // .NET 10.0.12; the thread ran on). All else of this process stands still then, so another one ends it.
    private static bool TryWriteDump(string path)
    {
        using var watch = new CreatedumpWatch(Environment.ProcessId, Wait.Limit);
        try
        {
            // Also where it was ended, the runtime may say that all is well.
            new DiagnosticsClient(Environment.ProcessId).WriteDump(DumpType.Normal, path);
            return !watch.End();
        }
        catch (DiagnosticsClientException) when (watch.End())
        {
            return false;
        }
    }

    private static void Append(StringBuilder text, ClrThread thread)
    {
        text.AppendLine(CultureInfo.InvariantCulture, $"managed thread {thread.ManagedThreadId} (system {thread.OSThreadId}):");
        foreach (var frame in thread.EnumerateStackTrace().Where(static frame => frame.Method is not null).Take(MaxFrames))
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"    {frame.Method!.Signature}");
        }
    }

    // proc(5): comm, the state in stat's third field, wchan.
    private static void AppendKernelStates(StringBuilder text, string tasks)
    {
        foreach (var folder in FoldersIn(tasks))
        {
            var stat = TryRead(folder, "stat");
            var state = stat.LastIndexOf(')') is var end and >= 0 && end + 2 < stat.Length ? stat[end + 2] : '?';
            text.AppendLine(
                CultureInfo.InvariantCulture,
                $"system thread {Path.GetFileName(folder)} {TryRead(folder, "comm")}: {state} in {TryRead(folder, "wchan")}");
        }
    }

    private static string[] FoldersIn(string tasks)
    {
        try
        {
            return Directory.GetDirectories(tasks);
        }
        catch (IOException)
        {
            // The process has ended, or this is not Linux.
            return [];
        }
    }

    private static string TryRead(string folder, string file)
    {
        try
        {
            return File.ReadAllText(Path.Join(folder, file)).Trim();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // The thread has ended.
            return "";
        }
    }
}

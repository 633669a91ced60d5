using System.ComponentModel;
using System.Diagnostics;
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

    // As long as its input is open, it waits so many seconds, then ends the createdump of a process, and returns 3. A process
    // whose tracer has ended may have been stopped by it.
    private const string Watch = """
        timeout "$0" cat
        [ $? = 124 ] || exit 0
        while :; do
            for file in /proc/[0-9]*/stat; do
                read -r line 2>/dev/null <"$file" || continue
                case $line in *"(createdump) "?" $1 "*)
                    kill -KILL "${line%% *}" || continue
                    for turn in 1 2 3; do sleep 0.2; kill -CONT "$1"; done
                    exit 3 ;;
                esac
            done
            sleep 0.1
        done
        """;

    private const int Ended = 3;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    /// <summary>Never throws: where there is no dump, it says why, and has the kernel's part.</summary>
    public static string Capture() => Capture(s_patience);

    /// <summary>The same, with another time that a dump may take.</summary>
    public static string Capture(TimeSpan patience)
    {
        var text = new StringBuilder();
        AppendKernelStates(text, "/proc/self/task");
        AppendManagedStacks(text, patience);
        return text.ToString();
    }

    /// <summary>The kernel's part, for another process.</summary>
    public static string Capture(int processId)
    {
        var text = new StringBuilder();
        AppendKernelStates(text, $"/proc/{processId}/task");
        return text.ToString();
    }

    private static void AppendManagedStacks(StringBuilder text, TimeSpan patience)
    {
        using var folder = new TemporaryFolder();
        var path = folder.PathOf("dump");
        try
        {
            if (!TryWriteDump(path, patience) && !TryWriteDump(path, patience))
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
    private static bool TryWriteDump(string path, TimeSpan patience)
    {
        var start = new ProcessStartInfo("sh") { RedirectStandardInput = true, RedirectStandardOutput = true };
        var seconds = patience.TotalSeconds.ToString(CultureInfo.InvariantCulture);
        foreach (var argument in new[] { "-c", Watch, seconds, $"{Environment.ProcessId}" })
        {
            start.ArgumentList.Add(argument);
        }

        using var watch = Process.Start(start)!;
        try
        {
            // Also where it was ended, the runtime may say that all is well.
            new DiagnosticsClient(Environment.ProcessId).WriteDump(DumpType.Normal, path);
            return !HasEndedIt(watch);
        }
        catch (DiagnosticsClientException) when (HasEndedIt(watch))
        {
            return false;
        }
        finally
        {
            watch.Kill(entireProcessTree: true);
        }
    }

    // If there is nothing to end any more, it looks without end.
    private static bool HasEndedIt(Process watch)
    {
        watch.StandardInput.Close();
        return watch.WaitForExit(TimeSpan.FromSeconds(5)) && watch.ExitCode == Ended;
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

using System.Diagnostics;
using System.Globalization;

namespace NumaSharp.TestKit;

/// <summary>
/// Ends the createdump of a process if it has not ended by itself after a while. A program of its own, because all of that
/// process stands still meanwhile.
/// </summary>
public sealed class CreatedumpWatch : IDisposable
{
    // Until its input is closed it waits, for so many seconds at first. Then it ends the createdump, and returns 3. A process
    // whose tracer has ended may have been stopped by it: it closes the input when it runs again. Without timeout(1) nothing is
    // ended.
    private const string Script = """
        timeout "$0" cat
        case $? in 0 | 126 | 127) exit 0 ;; esac
        while :; do
            for child in $(cat /proc/"$1"/task/*/children 2>/dev/null || ls /proc); do
                read -r line 2>/dev/null <"/proc/$child/stat" || continue
                case $line in
                *"(createdump) Z "*) ;;
                *"(createdump) "?" $1 "*)
                    kill -KILL "$child" || continue
                    until timeout 0.2 cat; do kill -CONT "$1" || exit 3; done
                    exit 3 ;;
                esac
            done
            timeout 0.1 cat && exit 0
        done
        """;

    private const int Ended = 3;

    private readonly Process _process;

    /// <param name="processId">The process of which a dump is to be written: createdump's parent.</param>
    /// <param name="patience">How long createdump may take.</param>
    /// <exception cref="System.ComponentModel.Win32Exception">There is no shell.</exception>
    public CreatedumpWatch(int processId, TimeSpan patience)
    {
        var start = new ProcessStartInfo("sh") { RedirectStandardInput = true, RedirectStandardOutput = true };
        var seconds = patience.TotalSeconds.ToString(CultureInfo.InvariantCulture);
        foreach (var argument in new[] { "-c", Script, seconds, $"{processId}" })
        {
            start.ArgumentList.Add(argument);
        }

        _process = Process.Start(start)!;
    }

    /// <summary>Ends the watch.</summary>
    /// <returns>Whether it has ended a createdump.</returns>
    public bool End()
    {
        _process.StandardInput.Close();
        return _process.WaitForExit(Wait.Limit) && _process.ExitCode == Ended;
    }

    public void Dispose()
    {
        _process.Kill(entireProcessTree: true);
        _process.Dispose();
    }
}

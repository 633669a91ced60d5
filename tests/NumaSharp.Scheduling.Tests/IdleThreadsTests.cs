using System.Globalization;
using NumaSharp.Interop;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Without work, no thread of a scheduler runs, not even now and then.</summary>
[Collection(nameof(ProcessWide))]
public sealed class IdleThreadsTests
{
    private const string Tasks = "/proc/self/task";
    private const string Call = "Call: ";

    // Not of every kernel: gVisor has none.
    private static readonly bool s_hasCalls = File.Exists("/proc/self/syscall");

    [Theory]
    [InlineData(NumaSchedulingPolicy.LocalityFirst)]
    [InlineData(NumaSchedulingPolicy.NodeStrict)]
    public async Task Threads_NothingToDo_NeverRun(NumaSchedulingPolicy policy)
    {
        Assert.SkipUnless(Directory.Exists(Tasks), $"no {Tasks} to see threads in");
        var prefix = $"idle{(int)policy}";
        var options = TestMachine.Options(TestMachine.Plan(2, 2), policy);
        options.ThreadNamePrefix = prefix;
        using var scheduler = new NumaTaskScheduler(options);
        await Task.WhenAll(Enumerable.Range(0, 1000).Select(i => scheduler.RunOnNode(i % 2, static () => { })));
        await scheduler.RunOnNode(0, static () => Thread.CurrentThread.Join(30));
        await Wait.UntilAsync(() => scheduler.Monitor.IsAsleep && scheduler.Groups.All(
            static group => group.SpareCount == 0 && group.IdleCount == group.BaseCount));

        // A thread on the way to its wait may seem to sleep: a collection, or the compiler's lock, stops it there. Once all wait
        // there is not a single switch while this test looks 200 times, as often as the monitor does when it is awake. What ran
        // only every few seconds would not show there: it would wait with a limit.
        Dictionary<string, string> before = [];
        var looks = 0;
        await Wait.UntilAsync(() =>
        {
            var now = Switches(prefix);
            looks = now.Count == 5 && now.Values.All(WaitsForOthers) && AreEqual(before, now) ? looks + 1 : 0;
            before = now;
            return looks > 200;
        }, () => string.Join('\n', before));

        Assert.All(before.Values, static status => Assert.Contains("S (sleeping)", status, StringComparison.Ordinal));
    }

    // futex(2) without a limit, its fourth argument: it ends when another thread wakes this one, and at no time.
    private static bool WaitsForOthers(string status)
    {
        var call = status[(status.IndexOf(Call, StringComparison.Ordinal) + Call.Length)..].Split(' ');
        return !s_hasCalls
            || (call is [var number, _, _, _, "0x0", ..]
                && number == SyscallNumbers.Futex.ToString(CultureInfo.InvariantCulture));
    }

    private static bool AreEqual(Dictionary<string, string> one, Dictionary<string, string> other) =>
        one.Count == other.Count && one.All(each => other.TryGetValue(each.Key, out var status) && status == each.Value);

    // Voluntary and involuntary ones, and its state: a thread that runs ends with one or the other. And what it waits in.
    private static Dictionary<string, string> Switches(string prefix) => Directory.EnumerateDirectories(Tasks)
        .Select(Status)
        .Where(status => status.Length > 1 && status[0].StartsWith($"Name:\t{prefix}", StringComparison.Ordinal))
        .ToDictionary(
            static status => status[0],
            static status => string.Join(' ', status.Where(IsOfSwitches)));

    private static bool IsOfSwitches(string line) =>
        line.Contains("ctxt_", StringComparison.Ordinal) || line.StartsWith("State:", StringComparison.Ordinal)
        || line.StartsWith(Call, StringComparison.Ordinal);

    // A thread may end between the listing and the reading: then the system has no such file, or does not let it be read.
    private static string[] Status(string folder)
    {
        try
        {
            var call = s_hasCalls ? File.ReadAllText(Path.Join(folder, "syscall")) : "";
            return [.. File.ReadAllLines(Path.Join(folder, "status")), Call + call.TrimEnd()];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}

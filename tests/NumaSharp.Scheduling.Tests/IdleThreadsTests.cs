using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>Without work, no thread of a scheduler runs, not even now and then.</summary>
[Collection(nameof(ProcessWide))]
public sealed class IdleThreadsTests
{
    private const string Tasks = "/proc/self/task";

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
        await Wait.UntilAsync(() => scheduler.Monitor!.IsAsleep && scheduler.Groups.All(
            static group => group.SpareCount == 0 && group.IdleCount == group.BaseCount));

        // A thread on the way to its wait may seem to sleep: a collection, or the compiler's lock, stops it there. Once all wait
        // there is not a single switch while this test looks 200 times, as often as the monitor does when it is awake.
        Dictionary<string, string> before = [];
        var looks = 0;
        await Wait.UntilAsync(() =>
        {
            var now = Switches(prefix);
            looks = now.Count == 5 && AreEqual(before, now) ? looks + 1 : 0;
            before = now;
            return looks > 200;
        }, () => string.Join('\n', before));

        Assert.All(before.Values, static status => Assert.Contains("S (sleeping)", status, StringComparison.Ordinal));
    }

    private static bool AreEqual(Dictionary<string, string> one, Dictionary<string, string> other) =>
        one.Count == other.Count && one.All(each => other.TryGetValue(each.Key, out var status) && status == each.Value);

    // Voluntary and involuntary ones, and its state: a thread that runs ends with one or the other.
    private static Dictionary<string, string> Switches(string prefix) => Directory.EnumerateDirectories(Tasks)
        .Select(Status)
        .Where(status => status.Length > 1 && status[0].StartsWith($"Name:\t{prefix}", StringComparison.Ordinal))
        .ToDictionary(
            static status => status[0],
            static status => string.Join(' ', status.Where(IsOfSwitches)));

    private static bool IsOfSwitches(string line) =>
        line.Contains("ctxt_", StringComparison.Ordinal) || line.StartsWith("State:", StringComparison.Ordinal);

    // A thread may end between the listing and the reading.
    private static string[] Status(string folder)
    {
        try
        {
            return File.ReadAllLines(Path.Join(folder, "status"));
        }
        catch (IOException)
        {
            return [];
        }
    }
}

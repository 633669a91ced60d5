using System.Globalization;

namespace NumaSharp.GuestTests.Support;

/// <summary>What the kernel says of a thread.</summary>
/// <param name="Id">Its id in the kernel.</param>
/// <param name="Name">Its name, at most 15 characters.</param>
/// <param name="CpusAllowed">The CPUs that it may run on, as a kernel list.</param>
internal sealed record ThreadStatus(int Id, string Name, string CpusAllowed)
{
    /// <param name="folder">A thread's folder in <c>/proc</c>.</param>
    public static ThreadStatus Of(string folder)
    {
        var lines = File.ReadLines($"{folder}/status").Select(static line => line.Split(":\t", 2));
        var values = lines.Where(static pair => pair.Length == 2).ToDictionary(static pair => pair[0], static pair => pair[1]);
        return new ThreadStatus(
            int.Parse(values["Pid"], CultureInfo.InvariantCulture), values["Name"], values["Cpus_allowed_list"]);
    }

    /// <summary>The threads of this process whose names begin in a certain way.</summary>
    public static ThreadStatus[] OfThisProcess(string namePrefix) =>
    [
        .. Directory.GetDirectories("/proc/self/task")
            .Select(OfLiving)
            .OfType<ThreadStatus>()
            .Where(thread => thread.Name.StartsWith(namePrefix, StringComparison.Ordinal)),
    ];

    private static ThreadStatus? OfLiving(string folder)
    {
        try
        {
            return Of(folder);
        }
        catch (IOException)
        {
            // The thread has ended since the folder was listed.
            return null;
        }
    }
}

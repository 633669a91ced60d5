namespace NumaSharp.GuestTests.Support;

/// <summary>
/// Which of the machines that the script <c>run</c> boots this is. The kernel's command line says so: nothing else can be
/// trusted by tests that take CPUs offline.
/// </summary>
internal static class Guest
{
    private const string CommandLine = "/proc/cmdline";
    private const string Key = "numasharp.guest=";

    private static readonly string? s_name = (File.Exists(CommandLine) ? File.ReadAllText(CommandLine) : "")
        .Split(' ', '\n')
        .FirstOrDefault(static word => word.StartsWith(Key, StringComparison.Ordinal))?[Key.Length..];

    public static bool HasThreeNodes => s_name == "three-nodes";

    public static bool HasFourNodes => s_name == "four-nodes";

    public static bool HasNoNuma => s_name == "one-node";

    public static void Require(bool isThis, string machine) => Assert.SkipUnless(
        isThis, $"This is not the guest {machine} that tests/NumaSharp.GuestTests/run boots.");
}

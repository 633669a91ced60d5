namespace NumaSharp.GuestTests.Support;

/// <summary>A setting of the guest's kernel (sysctl(8)) that has another value for as long as it lives.</summary>
internal sealed class KernelSetting : IDisposable
{
    private readonly string _file;
    private readonly string _before;

    /// <param name="name">Its path below <c>/proc/sys</c>.</param>
    /// <param name="value">What it is to be.</param>
    public KernelSetting(string name, string value)
    {
        // Of the guest's kernel only.
        Guest.Require(Guest.HasThreeNodes, "with three nodes");
        _file = "/proc/sys/" + name;
        _before = File.ReadAllText(_file);
        File.WriteAllText(_file, value);
    }

    public void Dispose() => File.WriteAllText(_file, _before);
}

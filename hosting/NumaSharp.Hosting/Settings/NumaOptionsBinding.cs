using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Fills the options from configuration; unreadable values are left to <see cref="NumaOptionsValidator"/>.</summary>
internal sealed class NumaOptionsBinding(NumaSection section) : IConfigureOptions<NumaOptions>
{
    public void Configure(NumaOptions options) => options.Unread = section.Bind(options);
}
